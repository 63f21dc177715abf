/** The state of the form of an attribute. */

import { CURRENCY_CODES, CURRENCY_DISPLAYS, type CurrencyCode, type CurrencyDisplay } from '#vocabulary/currencies'
import { OPTION_COLORS, type ThousandsSeparators } from '#vocabulary/data-model'
import { slugOf } from '#vocabulary/slugs'
import type { Attribute, AttributeChange, AttributeInput } from '../../../api/data-model/attributes'
import { allowedOf } from '../../../values/attribute-types'
import { optionKindOf } from '../../../values/options.svelte'
import { valueTypeOf } from '../../../values/registry'

type Type = AttributeInput['type']
type Definition = NonNullable<AttributeInput['computed']>
type Rollup = NonNullable<Definition['rollup']>

export class AttributeDraft {
  type = $state<Type>('text')
  title = $state('')
  description = $state('')
  isRequired = $state(false)
  isUnique = $state(false)
  isMultiselect = $state(false)
  currencyCode = $state<CurrencyCode>('USD')
  currencyDisplay = $state<CurrencyDisplay>('symbol')
  thousandsSeparators = $state<ThousandsSeparators>('from_10000')
  /** The titles of the options or statuses of a new attribute, one per line. */
  optionLines = $state('')
  /** Whether the values are entered, or what makes them. */
  source = $state<'entered' | 'formula' | 'lookup' | 'rollup'>('entered')
  formula = $state('')
  /** Whether changed values of a new computed attribute have history and events. */
  isTracked = $state(false)
  /** The slugs of a reference and of an attribute of its record; empty while none is chosen. */
  lookup = $state.raw<readonly [string, string]>(['', ''])
  rollup = $state.raw<Rollup>({ through: '', function: 'count' })
  /** Slugs of the objects whose records can be referenced; none for all objects. */
  allowedObjects = $state.raw<readonly string[]>([])
  /** Whether the attribute is one side of a new relationship. */
  isMutual = $state(false)
  mutualTitle = $state('')
  isMutualMultiselect = $state(true)
  #slug = $state<string | undefined>()
  /** The title of a present attribute as shown, which is not stored unless it is changed: it may be in another language. */
  #shownTitle: string | undefined
  /** Whether the attribute has the setting. Without it, numbers are separated from 10,000. */
  #hasStoredSeparators = false

  readonly allows = $derived(allowedOf(this.type))

  get isComputed(): boolean {
    return this.source !== 'entered'
  }

  /** What makes the values; undefined while it is not complete. */
  get definition(): Definition | undefined {
    const { formula, lookup, rollup } = this
    if (this.source === 'lookup') return lookup.includes('') ? undefined : { lookup: [...lookup] }
    if (this.source !== 'rollup') return formula.trim() === '' ? undefined : { formula }
    const isComplete = rollup.through !== '' && (rollup.function === 'count' || (rollup.of ?? '') !== '')
    return isComplete ? { rollup } : undefined
  }

  /** The slug that the person entered, or else the one that the title suggests. */
  get slug(): string {
    return this.#slug ?? slugOf(this.title)
  }

  set slug(text: string) {
    this.#slug = text
  }

  /** The form of a present attribute. `slugOfObject` returns the slug of an object id. */
  static of(attribute: Attribute, slugOfObject: (id: string) => string | undefined): AttributeDraft {
    const draft = new AttributeDraft()
    const { currency, record_reference, number } = attribute.config
    draft.type = attribute.type
    draft.title = draft.#shownTitle = attribute.title
    draft.slug = attribute.api_slug
    draft.description = attribute.description ?? ''
    draft.isRequired = attribute.is_required
    draft.isUnique = attribute.is_unique
    draft.isMultiselect = attribute.is_multiselect
    draft.currencyCode = CURRENCY_CODES.find((code) => code === currency.default_currency_code) ?? 'USD'
    draft.currencyDisplay = CURRENCY_DISPLAYS.find((display) => display === currency.display_type) ?? 'symbol'
    draft.thousandsSeparators = number?.thousands_separators ?? 'from_10000'
    draft.#hasStoredSeparators = number !== undefined
    const { formula, lookup, rollup } = attribute.computed ?? {}
    if (formula !== undefined) draft.source = 'formula'
    if (lookup !== undefined) draft.source = 'lookup'
    if (rollup !== undefined) draft.source = 'rollup'
    draft.formula = formula ?? ''
    draft.lookup = [lookup?.[0] ?? '', lookup?.[1] ?? '']
    draft.rollup = rollup ?? draft.rollup
    draft.allowedObjects = (record_reference.allowed_object_ids ?? []).flatMap((id) => slugOfObject(id) ?? [])
    return draft
  }

  /** The body of a create request. */
  get input(): AttributeInput {
    if (this.isComputed)
      return {
        ...this.#common,
        type: this.type,
        is_multiselect: this.source === 'lookup' && this.isMultiselect,
        ...this.#computed,
      }
    return {
      ...this.#common,
      type: this.type,
      is_multiselect: this.isMultiselect && this.allows.multiselect,
      config: { ...this.#config, ...this.#options },
      ...(this.#relationship === undefined ? {} : { relationship: this.#relationship }),
    }
  }

  /** The body of an update request. */
  get change(): AttributeChange {
    const { title, ...common } = this.#common
    const changed = title === this.#shownTitle ? {} : { title }
    if (!this.isComputed) return { ...changed, ...common }
    const { description, api_slug, config } = common
    return { ...changed, description, api_slug, config, ...this.#computed }
  }

  get #common() {
    return {
      title: this.title.trim(),
      description: this.description.trim() === '' ? null : this.description.trim(),
      api_slug: this.slug,
      is_required: this.isRequired && !this.isComputed,
      is_unique: this.isUnique && this.allows.unique && !this.isComputed,
      config: this.#config,
    }
  }

  get #computed() {
    const definition = this.definition ?? { formula: '' }
    return { computed: this.isTracked ? { ...definition, tracked: true } : definition }
  }

  get #options(): Pick<AttributeInput['config'], 'options'> {
    const titles = this.optionLines.split('\n').filter((line) => line.trim() !== '')
    if (optionKindOf(this) === undefined || titles.length === 0) return {}
    return { options: titles.map((title, index) => ({ title, color: OPTION_COLORS[index % OPTION_COLORS.length] })) }
  }

  get #config(): AttributeInput['config'] {
    const { hasCurrency, isReference, hasThousandsSeparators } = valueTypeOf(this)
    if (hasThousandsSeparators && (this.#hasStoredSeparators || this.thousandsSeparators !== 'from_10000'))
      return { number: { thousands_separators: this.thousandsSeparators } }
    if (hasCurrency) {
      return { currency: { default_currency_code: this.currencyCode, display_type: this.currencyDisplay } }
    }
    if (isReference && this.allowedObjects.length > 0) {
      return { record_reference: { allowed_objects: [...this.allowedObjects] } }
    }
    return {}
  }

  get #relationship(): AttributeInput['relationship'] | undefined {
    const [object] = this.allowedObjects
    if (!valueTypeOf(this).isReference || !this.isMutual || object === undefined) return undefined
    const title = this.mutualTitle.trim()
    return { object, title, api_slug: slugOf(title), is_multiselect: this.isMutualMultiselect }
  }
}
