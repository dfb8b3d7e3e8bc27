"""The straight line: bytes -> encoding -> outline -> base -> links -> edits -> bytes.

Internal: it can change in any release.
"""
