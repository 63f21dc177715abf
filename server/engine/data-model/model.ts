/** The types of a workspace's data model. A data model is plain data, which is loaded and replaced as a whole. */
import type {
  AccessLevel,
  ActivitySchemaSlug,
  ObjectAccess,
  OptionColor,
  RollupFunction,
  ShowableObject,
  ThousandsSeparators,
  TypeName,
} from '#vocabulary/data-model'
import type { Permission } from '#vocabulary/roles'

/** The number of the actor of what the service itself writes. It is in no data model. */
export const SYSTEM_ACTOR = 0

export interface Workspace {
  readonly id: string
  /** Part of the name of its schema, `w_<number>`. */
  readonly number: number
  readonly slug: string
  readonly name: string
  readonly logo_url: string | null
  readonly shows_updated_at: boolean
  /** Whether the service creates people of participants, and companies of email domains. */
  readonly creates_contacts: boolean
  /** Whether the service stores the texts of emails that connected accounts have. */
  readonly stores_email_texts: boolean
  /** Whether the service fetches the pictures of records from URLs in their values. */
  readonly fetches_pictures: boolean
  /** Whether the service fetches the logos of companies from the web pages of their domains. */
  readonly fetches_company_logos: boolean
  /** The objects that an admin shows in the navigation before they have records. */
  readonly shown_objects: readonly ShowableObject[]
  /** What members who are no admins may do as well. */
  readonly member_permissions: readonly Permission[]
  /** The country whose national form the console and imports accept for telephone numbers without a country code. */
  readonly default_country: string | null
}

export interface Actor {
  readonly type: 'api-token' | 'workspace-member' | 'system' | 'app'
  readonly id: string | null
}

export interface Member {
  readonly id: string
  readonly actor: number
  readonly email_address: string
  readonly access_level: 'admin' | 'member' | 'suspended'
}

/** An option of a select attribute, or a status of a status attribute. */
export interface Option {
  readonly id: string
  readonly number: number
  readonly title: string
  readonly is_archived: boolean
  readonly celebration_enabled: boolean
  readonly target_time_in_status: string | null
  /** Null: the console derives a color from the id. */
  readonly color: OptionColor | null
}

export type DefaultValue =
  | { readonly type: 'dynamic'; readonly template: string }
  /** Input values, which each creation parses again. */
  | { readonly type: 'static'; readonly template: readonly unknown[] }

export interface AttributeConfig {
  readonly currency?: { readonly default_currency_code: string | null; readonly display_type: string | null }
  readonly record_reference?: { readonly allowed_object_ids: readonly string[] | null }
  readonly number?: { readonly thousands_separators: ThousandsSeparators }
}

/** A part of a formula: its text, or an attribute of the same entity type that the text names between. */
export type FormulaPart =
  | string
  | {
      readonly attribute: string
      /** The field of a value with several, such as `last_name`. */
      readonly field?: string
      /** Whether the text has the name in quotes. */
      readonly is_quoted?: true
    }

/** The value of `attribute` of the record to which `reference`, an attribute of the same entity type, refers. */
export interface Lookup {
  readonly reference: string
  readonly attribute: string
}

/** What is made of the entities that refer to the entity. Attributes are named by their ids. */
export interface Rollup {
  /** The attribute by which they refer to it: of records any reference, of entries `parent_record`. */
  readonly through: string
  readonly function: RollupFunction
  /** Absent for `count`. */
  readonly of?: string
  /** The field of a value with several. */
  readonly field?: string
  /** The filter that they meet, as queries have it. */
  readonly filter?: Readonly<Record<string, unknown>>
}

/** What the values of a computed attribute are made of: one of the members. */
export interface Computed {
  readonly formula?: readonly FormulaPart[]
  readonly lookup?: Lookup
  readonly rollup?: Rollup
}

/** A function of the workspace's schema, which computes the value of an attribute when a statement reads it. */
export interface FunctionCall {
  /** The name, qualified and quoted for SQL. */
  readonly name: string
  /** The member of the value that it returns. Its other members are null. */
  readonly member: string
  /** The columns of the row that are its arguments. The last argument is the clock, the beginning of the transaction by default. */
  readonly columns: readonly string[]
  /** Of a formula whose expression never fails, so that statements have the expression instead of the call. */
  readonly form?: ClockForm
}

/** A formula that is nothing but the days since a day, the days until it, the whole years since it, or a comparison of it with today. */
export interface ClockForm {
  readonly kind: 'days since' | 'days until' | 'years since' | '<' | '<=' | '>' | '>='
  /** The id of the attribute with the day, and the member and column that have it. */
  readonly attribute: string
  readonly member: string
  readonly column: string
  /** Whether the column has a time, whose day in UTC counts. */
  readonly isTime: boolean
}

export interface Attribute {
  readonly id: string
  /** Part of the names of its columns, `a_<number>_<member>`, and its key in history and unique values. */
  readonly number: number
  readonly entity_type_id: string
  readonly title: string
  readonly description: string | null
  readonly api_slug: string
  readonly type: TypeName
  readonly is_system_attribute: boolean
  readonly is_writable: boolean
  readonly is_required: boolean
  readonly is_unique: boolean
  /** Whether entities had equal values when it was made unique. Then not every value has a unique key. */
  readonly has_duplicates: boolean
  readonly is_multiselect: boolean
  readonly is_default_value_enabled: boolean
  readonly is_archived: boolean
  /** False for enriched and communication-intelligence attributes. */
  readonly has_history: boolean
  readonly default_value: DefaultValue | null
  readonly config: AttributeConfig
  /**
   * Where the values are stored: in `columns` of the attribute, in the entity's own columns (`entity`: record_id,
   * created_at, …), by the other side of its relationship (`partner`), which stores the references, or in columns that the trigger of
   * the table (`formula`) or a worker (`worker`) fills. The values of a formula that reads the clock are not stored: statements compute them with a
   * `function`.
   */
  readonly stored_in: 'columns' | 'entity' | 'partner' | 'formula' | 'worker' | 'function'
  /** Of a formula, which is stored in `formula` or computed with a `function`, and of a look-up or rollup, which is stored in `worker`. */
  readonly computed?: Computed | null
  /** Whether the values of a look-up or rollup that changed are still to be computed for some entities. */
  readonly isFilling?: true
  /** The function of an attribute whose values statements compute. */
  readonly call?: FunctionCall
  /** The other side of a two-sided relationship. */
  readonly relationship_attribute_id: string | null
  readonly created_at: string
  /** In display order, with archived ones. Empty for attributes of other types. */
  readonly options: readonly Option[]
  /** Hidden objects and activities to whose records the values can refer. Answers leave out these values. */
  readonly hiddenTargets?: readonly RecordType[]
  /** Whether the values can refer to records of hidden objects and activities only, or are computed from what is hidden. */
  readonly isHidden?: boolean
}

interface EntityTypeBase {
  readonly id: string
  readonly number: number
  readonly api_slug: string
  readonly created_at: string
  /** The table of its entities, qualified and quoted for SQL: `"w_1"."o_7"`. */
  readonly table: string
  /** In display order, with archived ones. */
  readonly attributes: readonly Attribute[]
  /** Whether the values of a formula that changed are still to be computed for some rows. */
  readonly isFilling?: true
  /** Whether no entity was ever created. The first creation changes the data model. */
  readonly isUnused?: true
}

export interface ObjectType extends EntityTypeBase {
  readonly kind: 'object'
  readonly singular_noun: string
  readonly plural_noun: string
  /** The slug of the standard object; null for a custom object. */
  readonly standard_slug: string | null
  readonly is_enabled: boolean
  /** Undefined when all members have read-write access, and no team is named. */
  readonly grants?: ObjectGrants
  /** The access of the member in whose model the object is, if it is less than read-write. A deleted object is hidden from everyone. */
  readonly restriction?: Exclude<ObjectAccess, 'read-write'>
  /** Whether the object was deleted and can be restored. */
  readonly isDeleted?: true
}

/** The access that an admin gave to members. See docs/access.md. */
export interface ObjectGrants {
  readonly members: ObjectAccess
  /** The access of the members of a team. It replaces the access of all members. */
  readonly teams: readonly TeamObjectAccess[]
}

export interface TeamObjectAccess {
  readonly team_id: string
  readonly access: ObjectAccess
  readonly memberIds: ReadonlySet<string>
}

export interface MemberAccess {
  readonly workspace_member_id: string
  readonly level: AccessLevel
}

/** The access of the members of a team, which a list has besides. */
export interface TeamAccess {
  readonly team_id: string
  readonly level: AccessLevel
  readonly memberIds: ReadonlySet<string>
}

/** What has happened, such as a phone call. Its entities are records, as those of an object are. */
export interface ActivityType extends EntityTypeBase {
  readonly kind: 'activity'
  readonly singular_noun: string
  readonly plural_noun: string
  /** The schema whose attributes it got when it was created. */
  readonly schema_slug: ActivitySchemaSlug
  /** The slug of the system activity; null for a custom activity. */
  readonly system_slug: string | null
  /** A deleted activity is hidden from everyone. */
  readonly restriction?: 'hidden'
  /** Whether the activity was deleted and can be restored. */
  readonly isDeleted?: true
}

export type ParentObject = Pick<ObjectType, 'id' | 'number'>

export interface ListType extends EntityTypeBase {
  readonly kind: 'list'
  readonly name: string
  /** The objects whose records the entries represent. A list has one, unless it is a copy of one with several. */
  readonly parentObjects: readonly ParentObject[]
  /** The access of all members; null for a private list. */
  readonly workspace_access: AccessLevel | null
  readonly workspace_member_access: readonly MemberAccess[]
  /** Undefined for a list that is shared with no team. */
  readonly teamAccess?: readonly TeamAccess[]
  /** The number of the actor. */
  readonly created_by: number
  /** Whether an object of its records is hidden from the member of the model, or deleted. */
  readonly isHidden?: boolean
}

/** An entity type whose entities are records: they can be referred to, and deletion moves them to the trash. */
export type RecordType = ObjectType | ActivityType

/** An entity type: an object, an activity or a list. */
export type EntityType = RecordType | ListType

export const hasRecords = (entityType: EntityType): entityType is RecordType => entityType.kind !== 'list'

/** Whether the values can refer to records of the type, also to hidden ones. An attribute that allows all objects allows no activity. */
export function mayReferTo({ config: { record_reference } }: Attribute, { id, kind }: RecordType): boolean {
  if (record_reference === undefined) return false
  const allowed = record_reference.allowed_object_ids ?? []
  return allowed.length === 0 ? kind === 'object' : allowed.includes(id)
}

/** The entity types of a data model, with the maps that find them and their attributes. */
interface EntityTypes {
  /** In creation order. */
  readonly entityTypes: readonly EntityType[]
  readonly entityTypesById: ReadonlyMap<string, EntityType>
  readonly entityTypesByNumber: ReadonlyMap<number, EntityType>
  readonly attributesById: IdIndex<Attribute>
}

/** Finds items by id. */
export interface IdIndex<T> {
  get(id: string): T | undefined
  has(id: string): boolean
  /** In the order in which they were given. */
  values(): Iterable<T>
}

/** A map of more than 64 keys takes 10 kB, and each cached data model has some: this index takes 8 bytes for an item. */
export function indexById<T extends { readonly id: string }>(items: readonly T[]): IdIndex<T> {
  const sorted = items.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  const get = (id: string): T | undefined => {
    let [from, to] = [0, sorted.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((sorted[middle]?.id ?? '') < id) from = middle + 1
      else to = middle
    }
    const found = sorted[from]
    return found?.id === id ? found : undefined
  }
  return { get, has: (id) => get(id) !== undefined, values: () => items }
}

export const indexEntityTypes = (entityTypes: readonly EntityType[]): EntityTypes => ({
  entityTypes,
  entityTypesById: new Map(entityTypes.map((entityType) => [entityType.id, entityType])),
  entityTypesByNumber: new Map(entityTypes.map((entityType) => [entityType.number, entityType])),
  attributesById: indexById(entityTypes.flatMap(({ attributes }) => attributes)),
})

export interface DataModel extends EntityTypes {
  readonly workspace: Workspace
  /** Incremented by every change. A write checks the version that it was made for. */
  readonly version: number
  /** The workspace's schema, quoted for SQL: `"w_1"`. */
  readonly schema: string
  /** The names of the ready indexes that were built for queries. */
  readonly indexes: ReadonlySet<string>
  readonly actors: ReadonlyMap<number, Actor>
  readonly membersById: ReadonlyMap<string, Member>
  /** By lower-cased address. */
  readonly membersByEmail: ReadonlyMap<string, Member>
  /** True when a webhook subscription includes the changed values. */
  readonly includesValues: boolean
  /** The objects that an admin gave access to other than read-write for all. */
  readonly objectsWithGrants: readonly ObjectType[]
  /** In the model of a member: the model from which it was derived. */
  readonly loaded?: DataModel
  /** With deleted objects or activities: the model in which these are not hidden, for their restoration and their deletion for good. */
  readonly withDeleted?: DataModel
}

/** Thrown when data refers to something that the data model lacks: the model is outdated and must be reloaded. */
export class ModelVersionConflict extends Error {}

/** Thrown before the first entity of an unused entity type is inserted. */
export class UnusedEntityType extends ModelVersionConflict {
  constructor(readonly entityTypeId: string) {
    super(`The entity type ${entityTypeId} is marked as unused.`)
  }
}

/**
 * Whether an attribute gives its default value to new records and entries. Always true on a required attribute, whether it has a default
 * value or not. See docs/reference/objects-and-attributes.md (Default values).
 */
export const isDefaultEnabled = ({
  is_required,
  is_default_value_enabled,
}: Pick<Attribute, 'is_required' | 'is_default_value_enabled'>): boolean => is_required || is_default_value_enabled

/** Null where there is none or it is not enabled. */
export const enabledDefault = (attribute: Attribute): DefaultValue | null =>
  isDefaultEnabled(attribute) ? attribute.default_value : null
