/** The part of the file of `libpg-query` that `postgresql-parser.ts` uses; the package has no types for it. */
declare module 'libpg-query/wasm/libpg-query.js' {
  interface Parser {
    _malloc(size: number): number
    _free(address: number): void
    /** Returns the address of a result, 0 without memory for it. */
    _wasm_parse_query_raw(text: number): number
    _wasm_free_parse_result(result: number): void
    getValue(address: number, type: 'i32'): number
    lengthBytesUTF8(text: string): number
    stringToUTF8(text: string, address: number, size: number): void
    UTF8ToString(address: number): string
  }
  export default function createParser(options: {
    instantiateWasm(imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance) => void): void
  }): Promise<Parser>
}
