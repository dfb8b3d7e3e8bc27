"""`linkfix.urljoin`, in the place of `urllib.parse.urljoin`: references made absolute, each on a line.

Run it: `python examples/urljoin.py BASE REFERENCE…`.
"""

import sys

from linkfix import urljoin

for reference in sys.argv[2:]:
    print(urljoin(sys.argv[1], reference))
