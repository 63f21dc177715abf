/** Attributes of an object or a list, with their options and statuses. */

import type { OptionOutput, StatusOutput } from '#api/resources/attributes/options/schemas'
import type {
  AttributeChange,
  AttributeInput,
  AttributeOutput,
  ComputedPreview,
} from '#api/resources/attributes/schemas'
import { api } from '../client'
import { isStandardObject, shownName, standardWords } from './standard-names'

/** An object, a list or an activity, by its path in the API. */
export interface EntityTypePath {
  readonly kind: 'objects' | 'lists' | 'activities'
  readonly slug: string
}

/** What has records: an object or an activity. */
export interface RecordTypePath extends EntityTypePath {
  readonly kind: 'objects' | 'activities'
}

export type Attribute = AttributeOutput
export type { AttributeChange, AttributeInput, ComputedPreview }

/** An attribute, or what else has its title. */
interface Titled {
  readonly title: string
  readonly is_system_attribute?: boolean
  readonly computed?: unknown
}

/** Whether the service defines the attribute: people cannot change it. Computed attributes are defined by people. */
export const isSystemAttribute = ({ is_system_attribute, computed }: Titled): boolean =>
  is_system_attribute === true && computed === undefined

/** An option of a select, or a status. */
export type Option = OptionOutput | StatusOutput
export type OptionKind = 'options' | 'statuses'

/** Whether people write the values, or the formulas that make them. The others, such as `created_at`, come after these. */
export const isOfPeople = ({ is_writable, computed }: Attribute): boolean => is_writable || computed !== undefined

export interface NewOption {
  readonly title: string
  /** Without a color, the console derives one from the id. */
  readonly color?: Option['color'] | null
}

export interface OptionChange {
  readonly title?: string
  readonly is_archived?: boolean
  /** The new index among all options, archived ones included. */
  readonly sort_order?: number
  readonly color?: Option['color'] | null
  /** Only for statuses. */
  readonly celebration_enabled?: boolean
  readonly target_time_in_status?: string | null
}

export const optionId = ({ id }: Option): string => ('option_id' in id ? id.option_id : id.status_id)

const pathOf = ({ kind, slug }: EntityTypePath): string => `/${kind}/${encodeURIComponent(slug)}/attributes`

const optionsPath = (entityType: EntityTypePath, attribute: string, kind: OptionKind): string =>
  `${pathOf(entityType)}/${encodeURIComponent(attribute)}/${kind}`

/** Archived ones included. With their titles as shown. */
export const listAttributes = async (entityType: EntityTypePath, signal?: AbortSignal): Promise<Attribute[]> => {
  const query = { show_archived: true }
  const { data } = await api.get<{ data: Attribute[] }>(pathOf(entityType), { query, signal })
  return data.map((attribute) => withShownTitle(attribute, entityType))
}

/** Whether the title, the words that it stands for, or the slug of an attribute contain a text that a person types. */
export const isFoundBy =
  (text: string) =>
  ({ title, api_slug }: Pick<Attribute, 'title' | 'api_slug'>): boolean =>
    `${title} ${standardWords(title)} ${api_slug}`.toLowerCase().includes(text.toLowerCase())

/** On lists and objects that people define, only system attributes have standard titles. */
export const withShownTitle = <T extends Titled>(attribute: T, { kind, slug }: EntityTypePath): T =>
  kind === 'activities' || (kind === 'objects' && isStandardObject(slug)) || isSystemAttribute(attribute)
    ? { ...attribute, title: shownName(attribute.title) }
    : attribute

/** Of a computed attribute, with how far its computation is. */
export const readAttribute = async (
  entityType: EntityTypePath,
  slug: string,
  signal?: AbortSignal,
): Promise<Attribute> =>
  (await api.get<{ data: Attribute }>(`${pathOf(entityType)}/${encodeURIComponent(slug)}`, { signal })).data

export const createAttribute = async (entityType: EntityTypePath, input: AttributeInput): Promise<Attribute> =>
  (await api.post<{ data: Attribute }>(pathOf(entityType), { body: { data: input } })).data

export const updateAttribute = async (
  entityType: EntityTypePath,
  slug: string,
  change: AttributeChange,
): Promise<Attribute> =>
  (
    await api.patch<{ data: Attribute }>(`${pathOf(entityType)}/${encodeURIComponent(slug)}`, {
      body: { data: change },
    })
  ).data

/** The types that an attribute with the definition may have, and a sample of its values. */
export const previewFormula = async (
  entityType: EntityTypePath,
  input: NonNullable<AttributeInput['computed']> & { readonly type?: Attribute['type'] },
  signal?: AbortSignal,
): Promise<ComputedPreview> =>
  (await api.post<{ data: ComputedPreview }>(`${pathOf(entityType)}/preview`, { body: { data: input }, signal })).data

/** Deletes the other side of a relationship as well. */
export const deleteAttribute = (entityType: EntityTypePath, slug: string): Promise<unknown> =>
  api.delete(`${pathOf(entityType)}/${encodeURIComponent(slug)}`)

/** Archived ones included. */
export const listOptions = async (
  entityType: EntityTypePath,
  attribute: string,
  kind: OptionKind,
  signal?: AbortSignal,
): Promise<Option[]> =>
  (
    await api.get<{ data: Option[] }>(optionsPath(entityType, attribute, kind), {
      query: { show_archived: true },
      signal,
    })
  ).data

export const createOption = async (
  entityType: EntityTypePath,
  attribute: string,
  kind: OptionKind,
  input: NewOption,
): Promise<Option> =>
  (await api.post<{ data: Option }>(optionsPath(entityType, attribute, kind), { body: { data: input } })).data

export const updateOption = async (
  entityType: EntityTypePath,
  attribute: string,
  kind: OptionKind,
  change: OptionChange & { readonly id: string },
): Promise<Option> => {
  const { id, ...data } = change
  return (await api.patch<{ data: Option }>(`${optionsPath(entityType, attribute, kind)}/${id}`, { body: { data } }))
    .data
}
