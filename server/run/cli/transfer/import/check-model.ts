/** Checks of the data model that PostgreSQL does not make. */

import { SLUG_PATTERN } from '#engine/data-model/slugs'
import { TYPE_NAMES } from '#engine/data-model/type-names'
import type { CompleteRow, RowLine } from './insert-rows'

const STORED_IN = ['columns', 'entity', 'partner']

/** Types of a newer service are unknown. */
export const checkAttribute: CompleteRow = (row) => {
  const { type, stored_in } = row
  checkNumber(row)
  if (!TYPE_NAMES.some((name) => name === type)) throw new Error(`the attribute type ${textOf(type)} is unknown.`)
  if (!STORED_IN.some((name) => name === stored_in)) throw new Error(`stored_in is one of ${STORED_IN.join(', ')}.`)
  return {}
}

// oxlint-disable-next-line relata/no-super-linear-regexp -- the linter checks the pattern where it stands
const SLUG = new RegExp(SLUG_PATTERN)

/** The slug is the name of the file of the records or entries. */
export const checkEntityType: CompleteRow = (row) => {
  checkNumber(row)
  const { api_slug } = row
  if (typeof api_slug !== 'string' || !SLUG.test(api_slug)) throw new Error(`the slug ${textOf(api_slug)} is invalid.`)
  return {}
}

/** Numbers are part of the names of tables and columns. */
function checkNumber({ number }: RowLine): void {
  if (!Number.isInteger(number) || Number(number) < 1) throw new Error('number is an integer from 1.')
}

const textOf = (value: unknown): string => String(JSON.stringify(value)).slice(0, 100)
