import type { RequestContext } from '#context'
import type { EntityType } from '#engine/data-model/model'
import type { EntityKind } from '#engine/entities/operations/definitions'
import { readAssignments, requireTouched, requireWritableSides } from '#engine/entities/write/parse-values'
import type { JobOperation } from './job'

/** Throws the errors that an update with these values would have for every entity. */
export async function checkValues(
  context: RequestContext,
  entityType: EntityType,
  operation: JobOperation,
  { member }: Pick<EntityKind, 'member'>,
): Promise<void> {
  if (operation.op !== 'update') return
  const appends = operation.mode === 'append'
  const parsing = { member, appends } as const
  const assignments = await readAssignments(context, entityType, operation.values, parsing, {
    locking: false,
    assumeExists: false,
  })
  requireWritableSides(context.model, assignments)
  requireTouched(assignments, ({ attribute, values }) => values.length > 0 || (appends && attribute.is_multiselect))
}
