import Trees.Fold
import Trees.Search
import Trees.Heap
import Trees.Forest
import Trees.Zipper
import Trees.Trie
