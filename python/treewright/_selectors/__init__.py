"""Estimators that select features, one file each."""

from ._backward import BackwardFeatureSelector
from ._complete import CompleteFeatureSelector

__all__ = ["BackwardFeatureSelector", "CompleteFeatureSelector"]
