"""Any other client, here urllib: a page with absolute links, from a URL, header fields and a body.

Run it: `python examples/any_client.py URL`.
"""

import sys
from urllib.request import urlopen

from linkfix.hooks.generic import from_response

page = from_response(urlopen(sys.argv[1]))  # .body and .headers; .links .base .problems
print(*(link.target for link in page.links), sep="\n")
