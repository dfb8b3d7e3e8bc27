"""A step of datatrove that makes links absolute before text is extracted from HTML."""

import linkfix
from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.writers import JsonlWriter


def absolutize(documents, rank=0, world_size=1):
    for document in documents:
        document.text = linkfix.absolutize(document.text, url=document.metadata["url"])
        yield document


if __name__ == "__main__":
    # In the place of the list: WarcReader("crawl"), which gives decoded HTML and its URL.
    read = [Document('<a href="../x">x</a>', "1", metadata={"url": "https://example.com/a/b/"})]
    LocalPipelineExecutor([read, absolutize, JsonlWriter("converted", compression=None)]).run()
