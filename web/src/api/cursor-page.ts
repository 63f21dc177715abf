/** A page of a list that is read with a cursor. */
export interface CursorPage<T> {
  readonly data: readonly T[]
  readonly pagination: { readonly next_cursor: string | null }
}
