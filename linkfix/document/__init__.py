"""The straight line: bytes -> encoding -> outline -> base -> links -> edits -> bytes."""
