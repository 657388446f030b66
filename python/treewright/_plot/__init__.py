"""Pictures with matplotlib, which is imported only when something is drawn."""

from ._family import family
from ._partition import partition
from ._tree import tree

__all__ = ["family", "partition", "tree"]
