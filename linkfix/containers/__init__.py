"""What holds documents: it gives them with what is known of them from outside, and takes them back; no base is chosen
here.
"""
