import { TYPE_NAMES } from '../../../data-model/type-names'
import type { CompleteRow } from './insert-rows'

const STORED_IN = ['columns', 'entity', 'partner']

/** Types of a newer service are unknown. PostgreSQL checks the types of the other members. */
export const checkAttribute: CompleteRow = ({ type, stored_in }) => {
  if (!TYPE_NAMES.some((name) => name === type))
    throw new Error(`the attribute type ${JSON.stringify(type)} is unknown.`)
  if (!STORED_IN.some((name) => name === stored_in)) throw new Error(`stored_in is one of ${STORED_IN.join(', ')}.`)
  return {}
}
