"""Known vulnerabilities of packages, by pip-audit's service; fails if there is one, or a package unanswered.

Some mirrors have a page for each project but none for each version, so that pip-audit knows nothing of any
package. The page of a project tells of its newest version: a package that is at its newest is asked there.
Run it where pip-audit is installed:

    python scripts/audit.py installed.txt        # lines of `pip freeze`"""

from __future__ import annotations

import sys
from pathlib import Path

import requests
from packaging.version import Version
from pip_audit._service import PyPIService, ResolvedDependency


class Service(PyPIService):
    """pip-audit's service, which also asks the page of a project where that of the version is missing."""

    def __init__(self) -> None:
        super().__init__(timeout=60)
        self.page, self.session.get = self.session.get, self.ask

    def ask(self, url: str, **options: float) -> requests.Response:
        answer = self.page(url=url, **options)
        if answer.status_code != requests.codes.not_found:
            return answer
        project, version, _ = url.rsplit("/", 2)
        newest = self.page(url=f"{project}/json", **options)
        fits = newest.ok and Version(newest.json()["info"]["version"]) == Version(version)
        return newest if fits else answer


def main() -> None:
    lines = Path(sys.argv[1]).read_text().splitlines()
    service, found, unknown = Service(), 0, []
    for line in lines:
        name, _, version = line.partition("==")
        package = ResolvedDependency(name=name, version=Version(version)) if version else None
        asked, known = service.query(package) if package else (None, [])
        if asked is None or asked.is_skipped():
            unknown.append(line)
        for one in known:
            found += 1
            mended = ", ".join(map(str, one.fix_versions)) or "no version yet"
            print(f"{line}: {one.id}, mended in {mended}. {one.description[:200]}")
    print(f"{len(lines)} packages, {found} known vulnerabilities; no answer: {', '.join(unknown) or 'none'}")
    sys.exit(bool(found or unknown))


if __name__ == "__main__":
    main()
