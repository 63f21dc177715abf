import { expect, test } from 'bun:test'
import { CompletionContext } from '@codemirror/autocomplete'
import { EditorState } from '@codemirror/state'
import { completeMembers } from './members'

const column = (name: string, type: string) => ({ name, type })
const TABLES = [
  {
    schema: 'objects',
    name: 'people',
    columns: [column('name', 'personal_name'), column('company', 'record_reference')],
  },
  { schema: 'objects', name: 'companies', columns: [column('name', 'text'), column('people', 'record_reference[]')] },
]

/** The labels of the completions at the end of the text. */
function labels(text: string): string[] | undefined {
  const context = new CompletionContext(EditorState.create({ doc: text }), text.length, false)
  return completeMembers(TABLES)(context)?.options.map(({ label }) => label)
}

test.each([
  ['select company.', ['entity_definition_id', 'entity_instance_id']],
  ['select p.company.ent', ['entity_definition_id', 'entity_instance_id']],
  ['select objects.people.name.f', ['first_name', 'last_name', 'full_name']],
])('%j completes members', (text, expected) => expect(labels(text)).toEqual(expected))

test.each(['select company', 'select p.', 'select people.', 'select nothing.x', `select ${'x'.repeat(5000)}.y`])(
  'no members complete another text',
  (text) => expect(labels(text)).toBeUndefined(),
)
