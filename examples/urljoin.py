"""`linkfix.urljoin`, a replacement for `urllib.parse.urljoin`: resolves references, one per line.

Run it: `python examples/urljoin.py BASE REFERENCE…`.
"""

import sys

from linkfix import urljoin

for reference in sys.argv[2:]:
    print(urljoin(sys.argv[1], reference))
