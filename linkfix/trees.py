"""placeholder"""
def absolutize_tree(tree, url=None, **options):
    raise NotImplementedError
