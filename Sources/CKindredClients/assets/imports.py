# Made by `kindred client python`; make it anew when the database or the model file has changed.
"""A client of a Kindred server, over httpx."""
from __future__ import annotations

import asyncio
import base64
import json
import math
import re
import time
import urllib.parse
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timezone
from decimal import Decimal
from email.utils import parsedate_to_datetime
from typing import (
    TYPE_CHECKING, Any, BinaryIO, Generic, Literal, NotRequired, Self, TypedDict, TypeVar, Unpack,
)
from uuid import UUID

import httpx

_T = TypeVar("_T")
_R = TypeVar("_R")
