/** The data model of one workspace as its process knows it: plain data, loaded whole, replaced whole. */

import type { TypeName } from './type-names'

export interface Workspace {
  readonly id: string
  /** Names its schema, `w_<number>`. */
  readonly number: number
  readonly slug: string
  readonly name: string
  readonly logo_url: string | null
  readonly shows_updated_at: boolean
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

/** A choice of a select attribute, or a status of a status attribute. */
export interface Option {
  readonly id: string
  readonly number: number
  readonly title: string
  readonly is_archived: boolean
  readonly celebration_enabled: boolean
  readonly target_time_in_status: string | null
}

export type DefaultValue =
  | { readonly type: 'dynamic'; readonly template: string }
  /** Input values; they are parsed anew at each creation. */
  | { readonly type: 'static'; readonly template: readonly unknown[] }

export interface AttributeConfig {
  readonly currency?: { readonly default_currency_code: string | null; readonly display_type: string | null }
  readonly record_reference?: { readonly allowed_object_ids: readonly string[] | null }
}

export interface Attribute {
  readonly id: string
  /** Names its columns, `a_<number>_<member>`, and stands for it in history and uniqueness. */
  readonly number: number
  readonly owner_id: string
  readonly title: string
  readonly description: string | null
  readonly api_slug: string
  readonly type: TypeName
  readonly is_system_attribute: boolean
  readonly is_writable: boolean
  readonly is_required: boolean
  readonly is_unique: boolean
  readonly is_multiselect: boolean
  readonly is_default_value_enabled: boolean
  readonly is_archived: boolean
  /** False for enriched and communication-intelligence attributes. */
  readonly has_history: boolean
  readonly default_value: DefaultValue | null
  readonly config: AttributeConfig
  /**
   * Where its values are: `columns` of its own, the `holder`'s own columns (record_id, created_at, …), or derived from
   * the `partner` of its relationship, which holds the reference.
   */
  readonly stored_in: 'columns' | 'holder' | 'partner'
  /** The other side of a two-sided relationship. */
  readonly relationship_attribute_id: string | null
  readonly created_at: string
  /** In their order, archived ones included; empty for other types. */
  readonly options: readonly Option[]
}

interface OwnerBase {
  readonly id: string
  readonly number: number
  readonly api_slug: string
  readonly created_at: string
  /** The table of its holders, qualified and quoted for SQL: `"w_1"."o_7"`. */
  readonly table: string
  /** In display order, archived ones included. */
  readonly attributes: readonly Attribute[]
}

export interface ObjectOwner extends OwnerBase {
  readonly kind: 'object'
  readonly singular_noun: string
  readonly plural_noun: string
  /** Which of the five standard objects it is; null for custom ones. */
  readonly standard_slug: string | null
  readonly is_enabled: boolean
}

/** What somebody may do with a list, each including those before it: see it, write entries, change the list itself. */
export const ACCESS_LEVELS = ['read-only', 'read-and-write', 'full-access'] as const

export type AccessLevel = (typeof ACCESS_LEVELS)[number]

export interface MemberAccess {
  readonly workspace_member_id: string
  readonly level: AccessLevel
}

export interface ListOwner extends OwnerBase {
  readonly kind: 'list'
  readonly name: string
  /** The object whose records its entries stand for. */
  readonly parent_object_id: string
  /** What the whole workspace may do; null for a private list. */
  readonly workspace_access: AccessLevel | null
  readonly workspace_member_access: readonly MemberAccess[]
  /** The number of an actor. */
  readonly created_by: number
}

/** What owns attributes: an object or a list. */
export type Owner = ObjectOwner | ListOwner

export interface DataModel {
  readonly workspace: Workspace
  /** Raised by every change; a write names the version it was made for. */
  readonly version: number
  /** The workspace's schema, quoted for SQL: `"w_1"`. */
  readonly schema: string
  /** In creation order. */
  readonly owners: readonly Owner[]
  readonly ownersById: ReadonlyMap<string, Owner>
  readonly ownersByNumber: ReadonlyMap<number, Owner>
  readonly attributesById: ReadonlyMap<string, Attribute>
  /** Names of the indexes that were made because queries asked for them, and are ready. */
  readonly indexes: ReadonlySet<string>
  readonly actors: ReadonlyMap<number, Actor>
  readonly membersById: ReadonlyMap<string, Member>
  /** By lower-cased address. */
  readonly membersByEmail: ReadonlyMap<string, Member>
  /** Whether anybody wants to be told the values that a write changes. */
  readonly tellsValues: boolean
}

/** What was read names something this data model does not know yet: it is older than the data. Load it anew. */
export class StaleDataModel extends Error {}
