import type { CopyContext } from '#run/cli/copy/copy-context'
import { isObject, type SourceObject } from '#run/cli/copy/shapes'
import { listRows } from './list-rows'
import { writeDefinition } from './write-definition'

/** Copies the objects, and returns those that the target has now. */
export async function copyObjects(context: CopyContext): Promise<SourceObject[]> {
  const { source, target, state, problems, tally } = context
  const objects = await listRows(source, '/v2/objects', isObject, problems)
  const existing = await listRows(target, '/v2/objects', isObject, problems)
  const copied: SourceObject[] = []
  for (const object of objects) {
    const { api_slug, singular_noun, plural_noun } = object
    const known = state.find('object', object.id.object_id)?.id
    const copy =
      existing.find(({ id }) => id.object_id === known) ?? existing.find((other) => other.api_slug === api_slug)
    const members = { api_slug, singular_noun, plural_noun }
    const isCopied = await writeDefinition(context, {
      kind: 'object',
      section: 'objects',
      sourceId: object.id.object_id,
      name: api_slug,
      path: '/v2/objects',
      copy,
      copyId: copy?.id.object_id,
      idMember: 'object_id',
      create: members,
      changes: members,
    })
    if (isCopied) copied.push(object)
  }
  tally.finish('objects')
  return copied
}
