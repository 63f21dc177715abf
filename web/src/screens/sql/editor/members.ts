/** Completes the members of structs, such as `company.entity_instance_id`. The type of a column decides its members. */

import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { LOCATION_PARTS } from '#vocabulary/data-model'
import type { SqlTable } from '../tables'

const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  record_reference: ['entity_definition_id', 'entity_instance_id'],
  personal_name: ['first_name', 'last_name', 'full_name'],
  actor_reference: ['actor_type', 'actor_id'],
  interaction: ['interaction_type', 'interacted_at', 'owner_actor_id'],
  location: LOCATION_PARTS,
}

/** The name of a column, a dot, and the beginning of a member. */
const PATH = /([\w$]{1,100})\.[\w$]{0,100}$/

/** Columns of one name in several tables may have different types. */
function membersOf(tables: readonly SqlTable[], column: string): readonly string[] {
  const types = tables.flatMap(({ columns }) => columns.filter(({ name }) => name === column).map(({ type }) => type))
  return [...new Set(types)].flatMap((type) => MEMBERS[type] ?? [])
}

export const completeMembers =
  (tables: readonly SqlTable[]) =>
  (context: CompletionContext): CompletionResult | null => {
    const text = context.matchBefore(PATH)?.text ?? ''
    const [column = '', member = ''] = text.split('.')
    const members = membersOf(tables, column)
    if (members.length === 0) return null
    const options = members.map((label) => ({ label, type: 'property' }))
    return { from: context.pos - member.length, options, validFor: /^[\w$]*$/ }
  }
