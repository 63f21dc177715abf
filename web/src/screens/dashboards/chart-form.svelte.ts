/** The form of a chart: what was chosen, what can be chosen, and the definition that it makes. */

import { type ChartKind, hasAxis, isOfStatuses } from '#vocabulary/charts'
import type { PeriodUnit } from '#vocabulary/relative-periods'
import type { Attribute, EntityTypePath } from '../../api/data-model/attributes'
import type { Chart, ChartInput } from '../../api/data-model/dashboards'
import type { AggregateFunction } from '../../api/records/aggregate'
import type { Filter } from '../../api/records/entities'
import { attributesOf } from '../../state/attributes.svelte'
import { getDataModel } from '../../state/data-model.svelte'
import { optionKindOf } from '../../values/options.svelte'
import { valueTypeOf } from '../../values/registry'
import type { FilterState } from '../records/filter/filter-draft.svelte'
import { attributeNamed, FUNCTIONS, OF_NUMBERS } from './naming'
import { STEP_NAMES } from './periods'
import { sourcePath } from './source-path'
import { nounInSentence } from '../../language'

interface ChosenMeasure {
  readonly function: AggregateFunction
  /** The id of an attribute; empty for a count. */
  readonly attribute: string
}

interface ChosenGroup {
  /** The id of an attribute; empty for none. */
  readonly attribute: string
  readonly step: PeriodUnit
}

const NO_GROUP: ChosenGroup = { attribute: '', step: 'month' }
const COUNT: ChosenMeasure = { function: 'count', attribute: '' }

/** The filter of a form, which the filter builder edits. */
class FormFilter implements FilterState {
  readonly entityType: EntityTypePath
  readonly columns = []
  filter = $state.raw<Filter>({})

  constructor(entityType: EntityTypePath, filter: Filter) {
    this.entityType = entityType
    this.filter = filter
  }

  get isFiltered(): boolean {
    return Object.keys(this.filter).length > 0
  }

  setFilter(filter: Filter): void {
    this.filter = filter
  }
}

export class ChartForm {
  title = $state('')
  kind = $state<ChartKind>('bars')
  /** `object:`, `list:` or `query:` and an id. */
  source = $state('')
  measures = $state.raw<readonly ChosenMeasure[]>([COUNT])
  group = $state.raw<ChosenGroup>(NO_GROUP)
  split = $state.raw<ChosenGroup>(NO_GROUP)
  status = $state('')
  time = $state('')
  owner = $state('')
  filter = $state.raw<FormFilter | undefined>()
  readonly #id: string | undefined
  readonly #model = getDataModel()

  constructor(chart: Chart | undefined) {
    this.#id = chart?.id
    if (chart === undefined) {
      const deals = this.#model.data?.objects.find(({ api_slug }) => api_slug === 'deals')
      const first = deals ?? this.#model.data?.objects.find(({ api_slug }) => api_slug !== null)
      this.source = first ? `object:${first.id.object_id}` : ''
    } else this.#read(chart)
    const { path } = this
    if (path) this.filter = new FormFilter(path, chart?.filter ?? {})
  }

  #read(chart: Chart): void {
    const { source, aggregates, group_by, split_by } = chart
    this.title = chart.title
    this.kind = chart.kind
    this.source =
      'object' in source
        ? `object:${source.object}`
        : 'list' in source
          ? `list:${source.list}`
          : `query:${source.saved_query_id}`
    if (aggregates && aggregates.length > 0)
      this.measures = aggregates.map(({ function: fn, attribute = '' }) => ({ function: fn, attribute }))
    this.group = chosen(group_by)
    this.split = chosen(split_by)
    this.status = chart.attribute ?? ''
    this.time = chart.time_attribute ?? ''
    this.owner = chart.owner_attribute ?? ''
  }

  /** Another source has other attributes. */
  chooseSource(source: string): void {
    this.source = source
    this.measures = [COUNT]
    this.group = NO_GROUP
    this.split = NO_GROUP
    this.status = ''
    this.time = ''
    this.owner = ''
    const { path } = this
    this.filter = path && new FormFilter(path, {})
    if (this.isOfQuery && isOfStatuses(this.kind)) this.kind = 'bars'
  }

  get isOfQuery(): boolean {
    return this.source.startsWith('query:')
  }

  readonly #source: Chart['source'] = $derived.by(() => {
    const [kind, id = ''] = this.source.split(':')
    return kind === 'object' ? { object: id } : kind === 'list' ? { list: id } : { saved_query_id: id }
  })

  readonly path: EntityTypePath | undefined = $derived(
    this.#model.data && sourcePath({ source: this.#source }, this.#model.data),
  )
  readonly attributes: readonly Attribute[] = $derived(
    this.path === undefined ? [] : (attributesOf(this.path)?.data?.filter(({ is_archived }) => !is_archived) ?? []),
  )
  readonly numbers = $derived(
    this.attributes.filter((one) => valueTypeOf(one).amountText !== undefined && !one.is_multiselect),
  )
  readonly groups = $derived(this.attributes.filter((one) => valueTypeOf(one).groups !== undefined))
  readonly times = $derived(this.attributes.filter((one) => valueTypeOf(one).groups === 'periods'))
  readonly statuses = $derived(this.attributes.filter((one) => optionKindOf(one) === 'statuses'))
  readonly owners = $derived(this.attributes.filter((one) => valueTypeOf(one).defaultEditor === 'member'))

  isPeriods({ attribute }: ChosenGroup): boolean {
    return this.times.some(({ id }) => id.attribute_id === attribute)
  }

  /** Whether something is missing. */
  readonly isIncomplete: boolean = $derived.by(() => {
    if (this.source === '') return true
    if (this.isOfQuery) return false
    if (isOfStatuses(this.kind)) return this.status === ''
    const lacksAttribute = this.measures.some(({ function: fn, attribute }) => fn !== 'count' && attribute === '')
    return lacksAttribute || (hasAxis(this.kind) && this.group.attribute === '')
  })

  /** The title of a chart without one of its own. */
  suggestedTitle(noun: string): string {
    if (this.isOfQuery) return noun
    const titleOf = (id: string) => attributeNamed(this.attributes, id)?.title
    if (this.kind === 'funnel') return `Funnel of ${noun}`
    if (this.kind === 'time_in_status') return `Time in ${nounInSentence(titleOf(this.status) ?? 'status')}`
    const [{ function: fn, attribute } = COUNT] = this.measures
    const measured = fn === 'count' ? noun : `${FUNCTIONS[fn]} of ${nounInSentence(titleOf(attribute) ?? noun)}`
    const groupTitle = titleOf(this.group.attribute)
    const by = this.isPeriods(this.group) ? STEP_NAMES[this.group.step] : groupTitle && nounInSentence(groupTitle)
    const title = by === undefined || this.kind === 'figure' ? measured : `${measured} by ${by}`
    return title.charAt(0).toUpperCase() + title.slice(1)
  }

  definition(noun: string): Omit<ChartInput, 'place'> {
    const base = {
      ...(this.#id === undefined ? {} : { id: this.#id }),
      title: this.title.trim() || this.suggestedTitle(noun),
      kind: this.kind,
      source: this.#source,
    }
    if (this.isOfQuery) return base
    const shared = {
      ...base,
      ...(this.filter?.isFiltered && { filter: this.filter.filter }),
      ...(this.time && { time_attribute: this.time }),
      ...(this.owner && { owner_attribute: this.owner }),
    }
    if (isOfStatuses(this.kind)) return { ...shared, attribute: this.status }
    const hasGroups = this.kind !== 'figure' && this.group.attribute !== ''
    return {
      ...shared,
      aggregates: this.measures.map(({ function: fn, attribute }) =>
        fn === 'count' ? { function: fn } : { function: fn, attribute },
      ),
      ...(hasGroups && { group_by: this.#groupInput(this.group) }),
      ...(hasGroups && this.split.attribute !== '' && { split_by: this.#groupInput(this.split) }),
    }
  }

  #groupInput(group: ChosenGroup) {
    const { attribute, step } = group
    return this.isPeriods(group) ? { attribute, step } : { attribute }
  }
}

function chosen(group: Chart['group_by']): ChosenGroup {
  if (group === undefined) return NO_GROUP
  return typeof group === 'string' ? { ...NO_GROUP, attribute: group } : { ...NO_GROUP, ...group }
}

export const isOfNumbers = ({ function: fn }: ChosenMeasure): boolean => OF_NUMBERS.includes(fn)
