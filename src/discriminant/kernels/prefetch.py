"""Ask the processor for memory ahead of its use; nothing happens where it has no such instruction."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_BYTE_POINTER = ir.IntType(8).as_pointer()
_WORD = ir.IntType(32)
_READ, _KEEP_IN_OUTER_CACHE, _DATA = _WORD(0), _WORD(2), _WORD(1)


@intrinsic
def _fetch_line(_typing: Any, array: Any, place: Any) -> Any:
    """Ask for the cache line of the entry at this place of a contiguous array, counted over all its axes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        offset = context.cast(builder, arguments[1], signature.args[1], types.intp)
        address = builder.bitcast(builder.gep(data, [offset]), _BYTE_POINTER)
        kind = ir.FunctionType(ir.VoidType(), [_BYTE_POINTER, _WORD, _WORD, _WORD])
        instruction = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(instruction, [address, _READ, _KEEP_IN_OUTER_CACHE, _DATA])
        return context.get_dummy_value()

    return types.void(array, place), generate


fetch_line: Any = _fetch_line  # numba fills in the first argument, which a type checker would miss
