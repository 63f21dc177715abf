/** Reads the text of a cell, such as a pasted one, to the values of an attribute. */

import type { Attribute, EntityTypePath } from '../api/data-model/attributes'
import { UnreadableText } from './define'
import { valueTypeOf } from './registry'

export type CellReading = { readonly input: readonly unknown[] } | { readonly problem: string }

/** An empty text is no value. Several values are separated by commas, semicolons or lines. */
export async function readCell(entityType: EntityTypePath, attribute: Attribute, text: string): Promise<CellReading> {
  const { read, refusal, unreadable = refusal } = valueTypeOf(attribute)
  const parts = attribute.is_multiselect ? text.split(/[,;\n]/).map((part) => part.trim()) : [text]
  const input: unknown[] = []
  for (const part of parts.filter((part) => part.trim() !== '')) {
    const value: unknown = read ? await read(part, attribute, entityType) : part
    if (value instanceof UnreadableText) return { problem: value.problem }
    if (value === undefined) return { problem: `“${shortened(part)}”: ${unreadable}` }
    input.push(value)
  }
  return { input }
}

const MAX_SHOWN = 40

const shortened = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text)
