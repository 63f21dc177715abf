import { Type } from 'typebox'
import { visibleLists } from '#access/list-access/list-access'
import type { RequestContext } from '#context'
import { activityTypes, enabledObjects, findList, findRecordType } from '#engine/data-model/find'
import type { EntityType } from '#engine/data-model/model'
import { includesScope } from '#vocabulary/scopes'
import { describeEntityType, describeEntityTypes } from '#api/mcp/answers'
import { OperationFailed } from '#api/mcp/operation-caller'
import { defineTool, READS } from './define'

/** The objects, lists and activities that the caller may see. */
export function visibleEntityTypes(context: RequestContext): readonly EntityType[] {
  const lists = includesScope(context.scopes, 'list_configuration:read') ? visibleLists(context) : []
  const activities = includesScope(context.scopes, 'activity_configuration:read') ? activityTypes(context.model) : []
  return [...enabledObjects(context.model), ...lists, ...activities]
}

/** The object, activity or list with this slug that the caller may see. A list comes last. */
export function findVisible(context: RequestContext, slug: string): EntityType | undefined {
  const found = [findRecordType(context.model, slug), findList(context.model, slug)]
  const visible = visibleEntityTypes(context)
  return found.find((entityType) => entityType !== undefined && visible.includes(entityType))
}

export const getDataModelTool = defineTool({
  name: 'get_data_model',
  title: 'Get the data model',
  description:
    'Lists the objects, lists and activities of the workspace; or, with the slug of one, its attributes with types, options and the operators of filters. ' +
    'Call it before you write values or filters.',
  operations: ['listObjects'],
  effect: READS,
  arguments: Type.Object({
    slug: Type.Optional(Type.String({ description: 'Slug of an object, a list or an activity.' })),
  }),
  async run({ slug }, { context }) {
    if (slug === undefined) return describeEntityTypes(context.model, visibleEntityTypes(context))
    const entityType = findVisible(context, slug)
    if (entityType === undefined)
      throw new OperationFailed(404, `There is no object, list or activity with the slug "${slug}".`)
    return describeEntityType(context.model, entityType)
  },
})

interface MemberData {
  readonly id: { readonly workspace_member_id: string }
  readonly first_name: string
  readonly last_name: string
  readonly email_address: string
  readonly access_level: string
}

export const listMembersTool = defineTool({
  name: 'list_members',
  title: 'List members',
  description: 'Lists the members of the workspace, who can be assignees and values of actor references.',
  operations: ['listWorkspaceMembers'],
  effect: READS,
  arguments: Type.Object({ search: Type.Optional(Type.String({ maxLength: 256 })) }),
  async run({ search }, { call }) {
    const { data } = (await call('listWorkspaceMembers', { query: { search } })) as { data: MemberData[] } // as in the schema of the operation
    return data.map(({ id, first_name, last_name, email_address, access_level }) => ({
      id: id.workspace_member_id,
      name: `${first_name} ${last_name}`.trim(),
      email_address,
      ...(access_level === 'suspended' ? { is_suspended: true } : {}),
    }))
  },
})

/** An assistant reads few rows; for more, it queries with LIMIT and OFFSET. */
const MAX_ROWS = 200
const MAX_BYTES = 500_000

export const runSqlTool = defineTool({
  name: 'run_sql',
  title: 'Query with SQL',
  description:
    'Runs one SELECT of PostgreSQL over records and entries, for sums, groups and joins. Tables: objects.<slug>, lists.<slug> and activities.<slug>; columns: the slugs of attributes. ' +
    'Examples of columns: p.name.full_name, p.company.entity_instance_id (the id of a company), p.stage (a title). Values go into `parameters` as $1, $2. ' +
    `At most ${MAX_ROWS} rows of ${MAX_BYTES / 1000} kB together are shown, so use LIMIT.`,
  operations: ['querySql'],
  effect: READS,
  arguments: Type.Object({
    sql: Type.String(),
    parameters: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 100 })),
  }),
  async run(body, { lines }) {
    const found = await lines('querySql', { body, maxLines: MAX_ROWS, maxBytes: MAX_BYTES })
    const rows = found.lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>) // a row is an object
    const names = Object.keys(rows[0] ?? {})
    return {
      columns: names,
      rows: rows.map((row) => names.map((name) => row[name])),
      ...(found.hasMore ? { has_more: true } : {}),
    }
  },
})
