/** Loads the data model of a workspace from the control tables, in one statement so that it is consistent. */

import { columnsOf } from '#engine/attribute-types/definition/columns'
import { attributeType } from '#engine/attribute-types/registry'
import { createTextPool } from '#base/caching/caching'
import { workspaceNotFound } from '#base/errors/access'
import type { Database, Sql, Transaction } from '#db/connect'
import { timestampFromPostgres } from '#base/timing/clock'
import { hideDeletedRecordTypes } from './access/member-model'
import { clockFormOf } from './clock-form'
import { formulaFunctionName, qualifiedTableName, workspaceSchemaName } from './names'
import {
  type ActivityType,
  type Actor,
  type Attribute,
  type AttributeConfig,
  type Computed,
  type DataModel,
  type EntityType,
  indexEntityTypes,
  type ListType,
  type Member,
  type MemberAccess,
  type ObjectGrants,
  type ObjectType,
  type Option,
  type ParentObject,
  type TeamAccess,
  type TeamObjectAccess,
  type Workspace,
} from './model'
import { hideComputed } from '#engine/rollups/definition'
import type { ObjectAccess } from '#vocabulary/data-model'

/** The members of an attribute, in the order of the statement. Names would be more than half of the text, and a model has some hundred attributes. */
type AttributeRow = readonly [
  id: string,
  number: number,
  entity_type_id: string,
  title: string,
  description: string | null,
  api_slug: string,
  type: Attribute['type'],
  is_system_attribute: boolean,
  is_writable: boolean,
  is_required: boolean,
  is_unique: boolean,
  has_duplicates: boolean,
  is_multiselect: boolean,
  is_default_value_enabled: boolean,
  is_archived: boolean,
  has_history: boolean,
  default_value: Attribute['default_value'],
  config: AttributeConfig,
  stored_in: Attribute['stored_in'],
  computed: Computed | null,
  relationship_attribute_id: string | null,
  created_at: string,
]
/** The options of an attribute: their ids, one after the other, and their other members as the JSON of arrays. */
interface OptionsRow {
  readonly attribute_id: string
  readonly ids: string
  readonly options: string
}
type EntityTypeRow = Pick<EntityType, 'id' | 'number' | 'kind' | 'api_slug' | 'created_at'> & {
  is_used: boolean
} & Pick<ObjectType, 'singular_noun' | 'plural_noun' | 'standard_slug' | 'is_enabled'> &
  Pick<ListType, 'name' | 'workspace_access' | 'created_by'> &
  Pick<ActivityType, 'schema_slug' | 'system_slug'> & { member_access: ObjectAccess; is_deleted: boolean }
type MemberAccessRow = MemberAccess & { list_id: string }
type TeamAccessRow = Omit<TeamAccess, 'memberIds'> & { list_id: string; member_ids: string[] }
type ObjectTeamRow = Omit<TeamObjectAccess, 'memberIds'> & { object_id: string; member_ids: string[] }
type ActorRow = Actor & { number: number }

/** The result of the statement. `json_agg` returns null for no rows. */
interface Rows {
  workspace: Workspace
  version: number
  entityTypes: EntityTypeRow[] | null
  list_members: MemberAccessRow[] | null
  list_teams: TeamAccessRow[] | null
  object_teams: ObjectTeamRow[] | null
  attributes: AttributeRow[] | null
  filling: string[] | null
  filling_attributes: string[] | null
  options: OptionsRow[] | null
  indexes: string[] | null
  actors: ActorRow[] | null
  members: Member[] | null
  includes_values: boolean
}

/** Loads the committed model, or the model that the given transaction sees. Deleted objects and activities are hidden in it. */
export async function loadDataModel(db: Database | Sql | Transaction, workspaceId: string): Promise<DataModel> {
  const sql = 'control' in db ? db.sql : db
  const [found] = await sql<{ rows: string }[]>`
    select json_build_object(
      'workspace', (select row from (select w.id, w.number, w.slug, w.name, w.logo_url, w.shows_updated_at, w.creates_contacts, w.stores_email_texts, w.fetches_pictures, w.fetches_company_logos, w.shown_objects, w.member_permissions, w.default_country) row),
      'version', w.data_model_version,
      'entityTypes', (
        select json_agg(row) from (
          select e.id, e.number, e.kind, e.api_slug, e.created_at::text, e.is_used, standard_slug, is_enabled, member_access,
            coalesce(o.singular_noun, a.singular_noun) as singular_noun, coalesce(o.plural_noun, a.plural_noun) as plural_noun,
            schema_slug, system_slug, name, workspace_access, created_by, exists (
              select from relata.deleted_entity_types d
              where d.workspace_id = e.workspace_id and d.entity_type_id = e.id) as is_deleted
          from relata.entity_types e
          left join relata.objects o using (workspace_id, id) left join relata.lists using (workspace_id, id)
          left join relata.activities a using (workspace_id, id)
          where workspace_id = w.id order by number) row),
      'list_members', (
        select json_agg(row) from (
          select list_id, workspace_member_id, level from relata.list_members
          where workspace_id = w.id order by position) row),
      'list_teams', (
        select json_agg(row) from (
          select list_id, team_id, level, array(
            select member_id from relata.team_members m
            where m.workspace_id = t.workspace_id and m.team_id = t.team_id) as member_ids
          from relata.list_teams t where workspace_id = w.id order by team_id) row),
      'object_teams', (
        select json_agg(row) from (
          select object_id, team_id, access, array(
            select member_id from relata.team_members m
            where m.workspace_id = t.workspace_id and m.team_id = t.team_id) as member_ids
          from relata.object_teams t where workspace_id = w.id order by team_id) row),
      'attributes', (
        select json_agg(json_build_array(
            id, number, entity_type_id, title, description, api_slug, type, is_system_attribute, is_writable, is_required,
            is_unique, has_duplicates, is_multiselect, is_default_value_enabled, is_archived, has_history, default_value, config, stored_in, computed,
            relationship_attribute_id, created_at::text) order by not is_system_attribute, position)
        from relata.attributes where workspace_id = w.id),
      'filling', (select json_agg(entity_type_id) from relata.formula_fills where workspace_id = w.id),
      'filling_attributes', (
        select json_agg(attribute_id) from relata.rollup_refreshes
        where workspace_id = w.id and attribute_id is not null and entity_id is null),
      'options', (
        select json_agg(row) from (
          select attribute_id, string_agg(id::text, '' order by position) as ids, json_agg(json_build_array(
              number, title, is_archived, celebration_enabled, target_time_in_status, color) order by position)::text as options
          from relata.options where workspace_id = w.id group by attribute_id) row),
      'indexes', (select json_agg(name) from relata.indexes where workspace_id = w.id and state = 'ready'),
      'actors', (
        select json_agg(row) from (select number, type, id from relata.actors where workspace_id = w.id) row),
      'members', (
        select json_agg(row) from (
          select m.id, a.number as actor, m.email_address, m.access_level
          from relata.workspace_members m
          join relata.actors a on a.workspace_id = m.workspace_id and a.type = 'workspace-member' and a.id = m.id
          where m.workspace_id = w.id order by a.number) row),
      'includes_values', exists (
        select 1 from relata.webhooks where workspace_id = w.id and subscriptions @> '[{"include": ["values"]}]')
    )::text as rows
    from relata.workspaces w where w.id = ${workspaceId}`
  if (!found) throw workspaceNotFound(workspaceId)
  return hideDeletedRecordTypes(assemble(JSON.parse(found.rows) as Rows)) // what the statement above builds
}

function assemble(rows: Rows): DataModel {
  const { workspace, version } = rows
  const actors = rows.actors ?? []
  const members = rows.members ?? []
  const options = new Map(rows.options?.map((row) => [row.attribute_id, row]))
  const shared = createTextPool()
  const attributes = Map.groupBy(
    withOptionsOfLookups(
      (rows.attributes ?? []).map((row) => {
        const attribute = attributeFrom(row, options, shared)
        return rows.filling_attributes?.includes(attribute.id) ? { ...attribute, isFilling: true as const } : attribute
      }),
    ),
    ({ entity_type_id }) => entity_type_id,
  )
  const listMembers = Map.groupBy(rows.list_members ?? [], ({ list_id }) => list_id)
  const listTeams = Map.groupBy(rows.list_teams ?? [], ({ list_id }) => list_id)
  const objectTeams = Map.groupBy(rows.object_teams ?? [], ({ object_id }) => object_id)
  const numbers = new Map(rows.entityTypes?.map(({ id, number }) => [id, number]))
  const entityTypes = (rows.entityTypes ?? []).map((row) =>
    entityTypeFrom(workspace, row, attributes.get(row.id) ?? [], {
      members: listMembers.get(row.id) ?? [],
      teams: listTeams.get(row.id),
      objectTeams: objectTeams.get(row.id) ?? [],
      numbers,
      isFilling: rows.filling?.includes(row.id) === true,
    }),
  )
  const shown = hideComputed(entityTypes, new Set(entityTypes.filter(isShownToNobodyElse).map(({ id }) => id)))
  return {
    workspace,
    version,
    schema: `"${workspaceSchemaName(workspace.number)}"`,
    ...indexEntityTypes(shown),
    indexes: new Set(rows.indexes),
    actors: new Map([[0, SYSTEM], ...actors.map(({ number, type, id }) => [number, { type, id }] as const)]),
    membersById: new Map(members.map((member) => [member.id, member])),
    membersByEmail: new Map(members.map((member) => [member.email_address.toLowerCase(), member])),
    includesValues: rows.includes_values,
    objectsWithGrants: shown.filter((each): each is ObjectType => each.kind === 'object' && each.grants !== undefined),
  }
}

/** What computed attributes of other entity types do not show: lists that the workspace has no access to, and disabled objects. */
const isShownToNobodyElse = (entityType: EntityType): boolean =>
  entityType.kind === 'list'
    ? entityType.workspace_access === null
    : entityType.kind === 'object' && !entityType.is_enabled

/** The system is actor 0, which has no row. */
const SYSTEM: Actor = { type: 'system', id: null }

interface SharedAccess {
  readonly members: readonly MemberAccessRow[]
  readonly teams: readonly TeamAccessRow[] | undefined
  readonly objectTeams: readonly ObjectTeamRow[]
  /** The numbers of all entity types, by id. */
  readonly numbers: ReadonlyMap<string, number>
  readonly isFilling: boolean
}

/** The attribute `parent_record` can refer to the records of these objects. */
function parentObjectsOf(attributes: readonly Attribute[], numbers: ReadonlyMap<string, number>): ParentObject[] {
  const parent = attributes.find(({ api_slug }) => api_slug === 'parent_record')
  const ids = parent?.config.record_reference?.allowed_object_ids ?? []
  return ids.flatMap((id) => {
    const number = numbers.get(id)
    return number === undefined ? [] : [{ id, number }]
  })
}

const teamAccessFrom = ({ team_id, level, member_ids }: TeamAccessRow): TeamAccess => ({
  team_id,
  level,
  memberIds: new Set(member_ids),
})

function entityTypeFrom(
  workspace: Workspace,
  row: EntityTypeRow,
  attributes: readonly Attribute[],
  shared: SharedAccess,
): EntityType {
  const { id, number, api_slug } = row
  const created_at = timestampFromPostgres(row.created_at)
  const entityType = {
    id,
    number,
    api_slug,
    created_at,
    table: qualifiedTableName(workspace.number, row),
    attributes: withCalls(workspace.number, row, withVirtualAttributes({ id, created_at }, attributes)),
    ...(shared.isFilling && { isFilling: true as const }),
    ...(!row.is_used && { isUnused: true as const }),
  }
  if (row.kind === 'list') {
    const { name, workspace_access, created_by } = row
    const workspace_member_access = shared.members.map(({ list_id: _, ...access }) => access)
    const teamAccess = shared.teams?.map(teamAccessFrom)
    return {
      ...entityType,
      kind: 'list',
      name,
      parentObjects: parentObjectsOf(attributes, shared.numbers),
      workspace_access,
      workspace_member_access,
      ...(teamAccess && { teamAccess }),
      created_by,
    }
  }
  const { singular_noun, plural_noun, standard_slug, is_enabled, is_deleted } = row
  if (row.kind === 'activity') {
    const { schema_slug, system_slug } = row
    return {
      ...entityType,
      kind: 'activity',
      singular_noun,
      plural_noun,
      schema_slug,
      system_slug,
      ...(is_deleted && { isDeleted: true }),
    }
  }
  const grants = grantsFrom(row.member_access, shared.objectTeams)
  return {
    ...entityType,
    kind: 'object',
    singular_noun,
    plural_noun,
    standard_slug,
    is_enabled,
    ...(grants && { grants }),
    ...(is_deleted && { isDeleted: true }),
  }
}

function grantsFrom(members: ObjectAccess, teams: readonly ObjectTeamRow[]): ObjectGrants | undefined {
  if (members === 'read-write' && teams.length === 0) return undefined
  return {
    members,
    teams: teams.map(({ team_id, access, member_ids }) => ({ team_id, access, memberIds: new Set(member_ids) })),
  }
}

/** The texts that are the same in many workspaces: titles, slugs and names of standard attributes and options. */
const textOfAll = createTextPool(20_000)

/**
 * Texts that are equal in all workspaces, or in this one by `shared`, are stored once, because a model has some hundred attributes and options. An
 * object with all members named takes less memory than a copy of another object.
 */
function attributeFrom(
  row: AttributeRow,
  allOptions: ReadonlyMap<string, OptionsRow>,
  shared: (text: string) => string,
): Attribute {
  const [id, number, entity_type_id, title, description, api_slug, type] = row
  const attribute: Attribute = {
    id: shared(id),
    number,
    entity_type_id: shared(entity_type_id),
    title: textOfAll(title),
    description: description && textOfAll(description),
    api_slug: textOfAll(api_slug),
    type: textOfAll(type),
    is_system_attribute: row[7],
    is_writable: row[8],
    is_required: row[9],
    is_unique: row[10],
    has_duplicates: row[11],
    is_multiselect: row[12],
    is_default_value_enabled: row[13],
    is_archived: row[14],
    has_history: row[15],
    default_value: row[16],
    config: configFrom(row[17], shared),
    stored_in: textOfAll(row[18]),
    computed: row[19],
    relationship_attribute_id: row[20] && shared(row[20]),
    created_at: shared(timestampFromPostgres(row[21])),
    options: NO_OPTIONS,
  }
  const options = allOptions.get(id)
  return options === undefined ? attribute : withOptions(attribute, options)
}

/** The options of standard attributes are most of a model and seldom needed, so they are parsed when they are first read. */
function withOptions(attribute: Attribute, row: OptionsRow): Attribute {
  const { ids } = row
  const text = optionsOfAll(row.options)
  let options: readonly Option[] | undefined
  return Object.defineProperty(attribute, 'options', {
    enumerable: true,
    get: () => (options ??= optionsFrom(ids, text)),
  })
}

/** The texts of options, which are the same in many workspaces but for the ids. */
const optionsOfAll = createTextPool(500)

const ID_LENGTH = 36

/** The members of an option but for its id, in the order of the statement. */
type OptionMembers = readonly [
  number: number,
  title: string,
  is_archived: boolean,
  celebration_enabled: boolean,
  target_time_in_status: string | null,
  color: Option['color'],
]

function optionsFrom(ids: string, text: string): readonly Option[] {
  const options = JSON.parse(text) as OptionMembers[] // what the statement above builds
  return options.map((members, index) => {
    const [number, title, is_archived, celebration_enabled, target_time_in_status, color] = members
    const id = ids.slice(index * ID_LENGTH, (index + 1) * ID_LENGTH)
    return { id, number, title: textOfAll(title), is_archived, celebration_enabled, target_time_in_status, color }
  })
}

/** A look-up of an option has the options of the attribute that it shows. */
function withOptionsOfLookups(attributes: Attribute[]): Attribute[] {
  if (!attributes.some(({ computed }) => computed?.lookup)) return attributes
  const byId = new Map(attributes.map((attribute) => [attribute.id, attribute]))
  // Only an import could have a cycle, which is refused once the model is loaded.
  const sourceOf = (attribute: Attribute, path: readonly Attribute[] = []): Attribute => {
    const source = byId.get(attribute.computed?.lookup?.attribute ?? '')
    return source === undefined || path.includes(source) ? attribute : sourceOf(source, [...path, source])
  }
  return attributes.map((attribute) =>
    attribute.computed?.lookup ? { ...attribute, options: sourceOf(attribute).options } : attribute,
  )
}

/** Adds the calls of the functions that compute formulas. The arguments are the columns of the attributes that the formula names. */
function withCalls(
  workspaceNumber: number,
  entityType: Pick<EntityType, 'kind' | 'number'>,
  attributes: readonly Attribute[],
): readonly Attribute[] {
  if (!attributes.some(({ stored_in }) => stored_in === 'function')) return attributes
  const byId = new Map(attributes.map((attribute) => [attribute.id, attribute]))
  return attributes.map((attribute) => {
    const member = attributeType(attribute.type).formula?.column
    if (attribute.stored_in !== 'function' || member === undefined) return attribute
    const name = formulaFunctionName(workspaceNumber, entityType, attribute)
    const [columns, form] = [[...new Set(namedColumns(byId, attribute, []))], clockFormOf(byId, attribute)]
    return { ...attribute, call: { name, member, columns, ...(form && { form }) } }
  })
}

/** Also those that other functions need. `path` are the attributes over which it came, because an import could have a cycle. */
function namedColumns(
  byId: ReadonlyMap<string, Attribute>,
  attribute: Attribute,
  path: readonly Attribute[],
): string[] {
  if (attribute.stored_in !== 'function') return columnsOf(attribute).flatMap(({ name }) => name ?? [])
  if (path.includes(attribute)) return []
  return (attribute.computed?.formula ?? []).flatMap((part) => {
    const named = typeof part === 'string' ? undefined : byId.get(part.attribute)
    return named === undefined ? [] : namedColumns(byId, named, [...path, attribute])
  })
}

const NO_OPTIONS: readonly Option[] = []
const NO_CONFIG: AttributeConfig = {}

function configFrom(config: AttributeConfig, shared: (text: string) => string): AttributeConfig {
  const allowed = config.record_reference?.allowed_object_ids
  if (allowed) return { ...config, record_reference: { allowed_object_ids: allowed.map(shared) } }
  return Object.keys(config).length === 0 ? NO_CONFIG : config
}

/**
 * Adds `updated_at` and `updated_by`, which every entity type has without a row in a control table.
 * See docs/reference/objects-and-attributes.md (System attributes).
 */
const VIRTUAL = [
  { number: -1, api_slug: 'updated_at', title: 'Updated at', type: 'timestamp' },
  { number: -2, api_slug: 'updated_by', title: 'Updated by', type: 'actor-reference' },
] as const

/** Inserts the virtual attributes after the system attributes. An attribute with the same slug replaces a virtual one. */
function withVirtualAttributes(
  entityType: Pick<EntityType, 'id' | 'created_at'>,
  attributes: readonly Attribute[],
): Attribute[] {
  const taken = new Set(attributes.map(({ api_slug }) => api_slug))
  const virtual = VIRTUAL.filter(({ api_slug }) => !taken.has(api_slug)).map((each) =>
    virtualAttribute(entityType, each),
  )
  const firstCustom = attributes.findIndex(({ is_system_attribute }) => !is_system_attribute)
  const at = firstCustom < 0 ? attributes.length : firstCustom
  return [...attributes.slice(0, at), ...virtual, ...attributes.slice(at)]
}

const virtualAttribute = (
  entityType: Pick<EntityType, 'id' | 'created_at'>,
  { number, api_slug, title, type }: (typeof VIRTUAL)[number],
): Attribute => ({
  // With the entity type's id as the namespace, every process derives the same id.
  id: Bun.randomUUIDv5(api_slug, entityType.id),
  number,
  entity_type_id: entityType.id,
  title,
  description: null,
  api_slug,
  type,
  is_system_attribute: true,
  is_writable: false,
  is_required: false,
  is_unique: false,
  has_duplicates: false,
  is_multiselect: false,
  is_default_value_enabled: false,
  is_archived: false,
  has_history: false,
  default_value: null,
  config: {},
  stored_in: 'entity',
  relationship_attribute_id: null,
  created_at: entityType.created_at,
  options: [],
})
