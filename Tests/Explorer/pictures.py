"""Makes the pictures of docs/explorer.md and the README anew, each as small as a picture of few colours can be.

    python pictures.py .build/release/kindred
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]


def main():
    documents = (ROOT / "docs" / "explorer.md").read_text() + (ROOT / "README.md").read_text()
    names = re.findall(r"explorer/([\w-]+)\.png\)", documents)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, Path(__file__).parent / "browse.py", sys.argv[1], "--light", "--screenshots", folder]
        if subprocess.run(command, check=False).returncode != 0:
            sys.exit("the pictures stay as they are, because a step failed")
        for old in (ROOT / "docs" / "explorer").glob("*.png"):
            old.unlink()
        for name in names:
            with Image.open(Path(folder, f"{name}.png")) as picture:
                picture.convert("RGB").quantize(96, dither=Image.Dither.NONE).save(
                    ROOT / "docs" / "explorer" / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
