/**
 * PostgreSQL's own parser as WebAssembly, the file of the package `libpg-query`. The package itself would give it 128 MB of memory, of which
 * it uses little: JavaScript's engine counts that memory as live and lets as much garbage arise. See docs/decisions/memory.md.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import createParser from 'libpg-query/wasm/libpg-query.js'
import { PROGRAM_FOLDER } from '#db/program'

/** A text that the parser refuses. */
export class SqlSyntaxError extends Error {
  /** In characters from 1. */
  readonly position: number

  constructor(message: string, position: number) {
    super(message)
    this.position = position
  }
}

/** The parser's constants and its stack of 32 MB take 33 MB. What it needs besides grows the memory. */
const MEMORY_PAGES = 560
/** The section of a WebAssembly file that declares one memory with a limit: its kind, its length, the number of memories, the flag of the limit. */
const MEMORY_SECTION = [5, 7, 1, 1]

const {
  _malloc: allocate,
  _free: free,
  _wasm_parse_query_raw: parseRaw,
  _wasm_free_parse_result: freeResult,
  getValue,
  lengthBytesUTF8,
  stringToUTF8,
  UTF8ToString,
} = await createParser({
  instantiateWasm(imports, receive) {
    const file = readFileSync(join(PROGRAM_FOLDER, 'node_modules/libpg-query/wasm/libpg-query.wasm'))
    void WebAssembly.instantiate(withMemory(file, MEMORY_PAGES), imports).then(({ instance }) => receive(instance))
  },
})

/** Returns the parsed JSON of the statements. Throws `SqlSyntaxError`. */
export function parseStatements(text: string): unknown {
  const size = lengthBytesUTF8(text) + 1
  const address = allocate(size)
  let result = 0
  try {
    stringToUTF8(text, address, size)
    result = parseRaw(address)
    if (result === 0) throw new Error('The parser has no memory for the text.')
    // The struct `PgQueryParseResult`: the tree, what was printed, and an error.
    const [tree, , error] = [0, 4, 8].map((offset) => getValue(result + offset, 'i32'))
    if (error) throw readError(error)
    return JSON.parse(UTF8ToString(tree ?? 0))
  } finally {
    free(address)
    if (result !== 0) freeResult(result)
  }
}

/** Reads the struct `PgQueryError`: message, function, file, line, position. */
function readError(address: number): SqlSyntaxError {
  const [message = 0, position = 0] = [0, 16].map((offset) => getValue(address + offset, 'i32'))
  return new SqlSyntaxError(UTF8ToString(message), Math.max(1, position))
}

/** The file with another number of pages of 64 kB at the start. */
function withMemory(file: Uint8Array<ArrayBuffer>, pages: number): Uint8Array<ArrayBuffer> {
  const section = Buffer.from(file.buffer, file.byteOffset, file.length).indexOf(Buffer.from(MEMORY_SECTION))
  const [low, high] = [section + MEMORY_SECTION.length, section + MEMORY_SECTION.length + 1]
  // The number has two bytes of seven bits, the lower ones first.
  if (section < 0 || (file[low] ?? 0) < 0x80 || (file[high] ?? 0) >= 0x80)
    throw new Error('The file of the parser has another form.')
  const changed = file.slice()
  changed[low] = 0x80 | (pages & 0x7f)
  changed[high] = pages >> 7
  return changed
}
