/** The members that the copy reads of the source's answers. Other members are ignored. */

import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'

export type Check<T> = (value: unknown) => value is T

const Id = Type.String({ pattern: '^[0-9A-Fa-f-]{36}$' })
/** Slugs become part of paths, so that they have no dots and slashes. */
const Slug = Type.String({ pattern: '^[A-Za-z0-9_-]{1,100}$' })
const NullableText = Type.Union([Type.String(), Type.Null()])
const Values = Type.Record(Type.String(), Type.Unknown())

/** The values of a map are arrays; what is not an array is reported later, with its attribute. */
const RecordShape = Type.Object({ id: Type.Object({ record_id: Id }), values: Values })
const EntryShape = Type.Object({
  id: Type.Object({ entry_id: Id }),
  parent_record_id: Id,
  parent_object: Slug,
  entry_values: Values,
})
const ObjectShape = Type.Object({
  id: Type.Object({ object_id: Id }),
  api_slug: Slug,
  singular_noun: Type.String(),
  plural_noun: Type.String(),
})
const ActivityShape = Type.Object({
  id: Type.Object({ activity_id: Id }),
  api_slug: Slug,
  singular_noun: Type.String(),
  plural_noun: Type.String(),
  extends: Type.Array(Type.Object({ schema_slug: Type.String() }), { minItems: 1 }),
  is_system_activity: Type.Boolean(),
})
const ListShape = Type.Object({
  id: Type.Object({ list_id: Id }),
  api_slug: Slug,
  name: Type.String(),
  parent_object: Type.Array(Slug, { minItems: 1 }),
  workspace_access: NullableText,
  workspace_member_access: Type.Array(Type.Object({ workspace_member_id: Id, level: Type.String() })),
})
const AttributeShape = Type.Object({
  id: Type.Object({ attribute_id: Id }),
  title: Type.String(),
  description: NullableText,
  api_slug: Slug,
  type: Type.String(),
  is_system_attribute: Type.Boolean(),
  is_writable: Type.Boolean(),
  is_required: Type.Boolean(),
  is_unique: Type.Boolean(),
  is_multiselect: Type.Boolean(),
  is_archived: Type.Boolean(),
  is_default_value_enabled: Type.Optional(Type.Boolean()),
  default_value: Type.Optional(Type.Unknown()),
  relationship: Type.Optional(
    Type.Union([Type.Null(), Type.Object({ id: Type.Object({ object_id: Id, attribute_id: Id }) })]),
  ),
  computed: Type.Optional(
    Type.Object({
      formula: Type.Optional(Type.String()),
      lookup: Type.Optional(Type.Array(Type.String())),
      rollup: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      tracked: Type.Optional(Type.Boolean()),
    }),
  ),
  config: Type.Object({
    currency: Type.Optional(
      Type.Union([Type.Null(), Type.Object({ default_currency_code: NullableText, display_type: NullableText })]),
    ),
    record_reference: Type.Optional(
      Type.Union([Type.Null(), Type.Object({ allowed_object_ids: Type.Union([Type.Array(Id), Type.Null()]) })]),
    ),
  }),
})
const OptionShape = Type.Object({
  id: Type.Object({ option_id: Type.Optional(Id), status_id: Type.Optional(Id) }),
  title: Type.String({ minLength: 1 }),
  is_archived: Type.Boolean(),
  celebration_enabled: Type.Optional(Type.Boolean()),
  target_time_in_status: Type.Optional(NullableText),
  color: Type.Optional(Type.String()),
})
const MemberShape = Type.Object({
  id: Type.Object({ workspace_member_id: Id }),
  email_address: Type.String({ maxLength: 254 }),
})
const NoteShape = Type.Object({
  id: Type.Object({ note_id: Id }),
  parent_object: Slug,
  parent_record_id: Id,
  title: Type.String(),
  content_markdown: Type.String(),
  created_at: Type.String(),
  meeting_id: Type.Optional(NullableText),
})
const TaskShape = Type.Object({
  id: Type.Object({ task_id: Id }),
  content_plaintext: Type.String(),
  deadline_at: NullableText,
  is_completed: Type.Boolean(),
  linked_records: Type.Array(Type.Object({ target_object_id: Slug, target_record_id: Id })),
  assignees: Type.Array(Type.Object({ referenced_actor_type: Type.String(), referenced_actor_id: Id })),
})

export type SourceRecord = Static<typeof RecordShape>
export type SourceEntry = Static<typeof EntryShape>
export type SourceObject = Static<typeof ObjectShape>
export type SourceActivity = Static<typeof ActivityShape>
export type SourceList = Static<typeof ListShape>
export type CopiedAttribute = Static<typeof AttributeShape>
export type CopiedOption = Static<typeof OptionShape>
export type SourceNote = Static<typeof NoteShape>
export type SourceTask = Static<typeof TaskShape>

function checkOf<S extends TSchema>(schema: S): Check<Static<S>> {
  const validator = Compile(schema)
  return (value): value is Static<S> => validator.Check(value)
}

export const isRecord = checkOf(RecordShape)
export const isEntry = checkOf(EntryShape)
export const isObjectShape = checkOf(ObjectShape)
export const isActivityShape = checkOf(ActivityShape)
export const isListShape = checkOf(ListShape)
export const isAttribute = checkOf(AttributeShape)
export const isOption = checkOf(OptionShape)
export const isMember = checkOf(MemberShape)
export const isNote = checkOf(NoteShape)
export const isTask = checkOf(TaskShape)
