#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sbom.py VERSION SECONDS PAGE: prints an SPDX 2.3 list of what Tacit is made of and depends on, from the
table of PAGE (docs/dependencies.md). SECONDS since 1970 is the date of the list."""
import datetime
import json
import pathlib
import re
import sys

ROW = re.compile(r"^\| (?P<name>[^|]+?) \| (?P<versions>[^|]+?) \| (?P<licence>[^|]+?) \| (?:linked|loaded|Python) \|", re.M)


def main(version, seconds, page):
    parts = [{"name": "tacit", "SPDXID": "SPDXRef-tacit", "versionInfo": version, "licenseDeclared": "MIT",
              "downloadLocation": "NOASSERTION", "filesAnalyzed": False}]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-tacit"}]
    for row in ROW.finditer(pathlib.Path(page).read_text(encoding="utf-8")):
        ident = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", row["name"])
        parts.append({"name": row["name"], "SPDXID": ident, "versionInfo": row["versions"], "filesAnalyzed": False,
                      "licenseDeclared": row["licence"], "downloadLocation": "NOASSERTION"})
        relations.append({"spdxElementId": "SPDXRef-tacit", "relationshipType": "DEPENDS_ON", "relatedSpdxElement": ident})
    if len(parts) < 5:
        sys.exit(f"{page}: no table of dependencies found")
    when = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    print(json.dumps({"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
                      "name": f"tacit-{version}", "documentNamespace": f"urn:tacit:{version}:{seconds}",
                      "creationInfo": {"created": when, "creators": ["Organization: The Tacit authors"]},
                      "packages": parts, "relationships": relations}, indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
