import { Type } from 'typebox'
import { visibleLists } from '#access/list-access/list-access'
import type { RequestContext } from '#context'
import { enabledObjects, findList, findObject } from '#engine/data-model/find'
import type { EntityType } from '#engine/data-model/model'
import { includesScope } from '#vocabulary/scopes'
import { describeEntityType, describeEntityTypes } from '#api/mcp/answers/describe-model'
import { OperationFailed } from '#api/mcp/operation-caller'
import { defineTool, READS } from './define'

/** The objects and lists that the caller may see. */
export function visibleEntityTypes(context: RequestContext): readonly EntityType[] {
  const lists = includesScope(context.scopes, 'list_configuration:read') ? visibleLists(context) : []
  return [...enabledObjects(context.model), ...lists]
}

/** The object or list with this slug that the caller may see. An object takes precedence. */
export function findVisible(context: RequestContext, slug: string): EntityType | undefined {
  const found = [findObject(context.model, slug), findList(context.model, slug)]
  const visible = visibleEntityTypes(context)
  return found.find((entityType) => entityType !== undefined && visible.includes(entityType))
}

export const getDataModelTool = defineTool({
  name: 'get_data_model',
  title: 'Get the data model',
  description:
    'Lists the objects and lists of the workspace; or, with the slug of one, its attributes with types, options and the operators of filters. ' +
    'Call it before you write values or filters.',
  operations: ['listObjects'],
  effect: READS,
  arguments: Type.Object({ slug: Type.Optional(Type.String({ description: 'Slug of an object or a list.' })) }),
  async run({ slug }, { context }) {
    if (slug === undefined) return describeEntityTypes(context.model, visibleEntityTypes(context))
    const entityType = findVisible(context, slug)
    if (entityType === undefined) throw new OperationFailed(404, `There is no object or list with the slug "${slug}".`)
    return describeEntityType(context.model, entityType)
  },
})
