/** The names in a data model. */

/** What an attribute of a type may be set to. */
export interface AllowedSettings {
  readonly multiselect: boolean
  readonly unique: boolean
  /** Whether such attributes can be created over the API. */
  readonly create: boolean
}

const ONE: AllowedSettings = { multiselect: false, unique: false, create: true }
const ONE_OR_UNIQUE: AllowedSettings = { ...ONE, unique: true }
const MANY: AllowedSettings = { ...ONE, multiselect: true }
const MANY_OR_UNIQUE: AllowedSettings = { ...MANY, unique: true }
const NOT_CREATABLE: AllowedSettings = { ...ONE, create: false }

/** The types of attributes. See docs/reference/values.md (Types at a glance). */
export const ALLOWED_SETTINGS = {
  text: ONE_OR_UNIQUE,
  number: ONE_OR_UNIQUE,
  checkbox: ONE,
  currency: ONE,
  date: ONE,
  timestamp: ONE_OR_UNIQUE,
  rating: ONE,
  status: ONE,
  select: MANY,
  'record-reference': MANY,
  'actor-reference': MANY,
  location: ONE,
  domain: MANY_OR_UNIQUE,
  'email-address': MANY_OR_UNIQUE,
  'phone-number': MANY_OR_UNIQUE,
  interaction: NOT_CREATABLE,
  'personal-name': NOT_CREATABLE,
} as const satisfies Record<string, AllowedSettings>

export type TypeName = keyof typeof ALLOWED_SETTINGS

export const TYPE_NAMES = Object.keys(ALLOWED_SETTINGS) as readonly TypeName[] // a literal's keys are its type's

/** What a rollup makes of the values of other entities. See docs/reference/objects-and-attributes.md (Computed attributes). */
export const ROLLUP_FUNCTIONS = ['count', 'sum', 'min', 'max', 'average', 'earliest', 'latest', 'list'] as const

export type RollupFunction = (typeof ROLLUP_FUNCTIONS)[number]

/** The schemas that activities extend. See docs/reference/activities.md (Schemas). */
export const ACTIVITY_SCHEMA_SLUGS = ['activities', 'interactions', 'calls', 'emails'] as const

export type ActivitySchemaSlug = (typeof ACTIVITY_SCHEMA_SLUGS)[number]

/** The parts of a location, in the order of the API. */
export const LOCATION_PARTS = [
  'line_1',
  'line_2',
  'line_3',
  'line_4',
  'locality',
  'region',
  'postcode',
  'country_code',
  'latitude',
  'longitude',
] as const

export type LocationPart = (typeof LOCATION_PARTS)[number]

/** The same content for each part of a location. */
export const eachLocationPart = <Content>(content: Content): Record<LocationPart, Content> =>
  Object.fromEntries(LOCATION_PARTS.map((part) => [part, content])) as Record<LocationPart, Content> // has all parts

/** The attributes that label records of the standard objects. The first one with a value is the label. */
export const LABEL_SLUGS: Readonly<Record<string, readonly string[]>> = {
  people: ['name', 'email_addresses'],
  companies: ['name', 'domains'],
  deals: ['name'],
  users: ['primary_email_address', 'user_id'],
  workspaces: ['name', 'workspace_id'],
}

/** The standard objects that the navigation has when they have records, or when an admin shows them. By slug. */
export const SHOWN_WITH_RECORDS = ['users', 'workspaces'] as const

export type ShowableObject = (typeof SHOWN_WITH_RECORDS)[number]

/** The colors of options and statuses, in the order of the tones of the console. */
export const OPTION_COLORS = ['indigo', 'green', 'orange', 'pink', 'blue', 'purple', 'gray'] as const

export type OptionColor = (typeof OPTION_COLORS)[number]

/** Whether the console separates thousands: from 10,000, in all numbers, or in none. */
export const THOUSANDS_SEPARATORS = ['from_10000', 'always', 'never'] as const

export type ThousandsSeparators = (typeof THOUSANDS_SEPARATORS)[number]

/** The access of a member to an object, from none to all. */
export const OBJECT_ACCESS = ['hidden', 'read-only', 'read-write'] as const

export type ObjectAccess = (typeof OBJECT_ACCESS)[number]

/** The access to a list: see it, write entries, change the list. Each level includes those before it. */
export const ACCESS_LEVELS = ['read-only', 'read-and-write', 'full-access'] as const

export type AccessLevel = (typeof ACCESS_LEVELS)[number]

/** What a retention rule does with records. `trash` moves them to the trash, from which they are deleted for good later. */
export const RETENTION_ACTIONS = ['trash', 'delete'] as const

/** The limit of a formula in characters. */
export const MAX_FORMULA = 4000
