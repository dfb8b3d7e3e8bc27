"""The pipeline of a document: bytes -> encoding -> outline -> base -> links -> edits -> bytes."""
