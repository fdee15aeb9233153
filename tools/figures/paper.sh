# Every table and figure of the paper, and the verdict on it.
# page: docs/paper.md
# sources: src/study/paper.c src/study/paper.def src/study/paper_results.def docs/results/data
# takes: 1 second
exec "$TIPS" paper --markdown
