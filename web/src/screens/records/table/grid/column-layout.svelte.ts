/** The columns of a grid and their widths. */

import { MediaQuery } from 'svelte/reactivity'
import type { Attribute } from '../../../../api/data-model/attributes'
import { valueTypeOf } from '../../../../values/registry'
import { labelAttribute } from '../../columns/defaults'
import type { Table } from '../table.svelte'
import type { ViewState } from '../view-state.svelte'
import { gridColumn } from './grid-column'

/** In rem. */
const PADDING = 1.5
const CHECK = 2.5
/** Links have an avatar and buttons beside their text. */
const BESIDE_LINK = 2
const LAST = 2
/** The widest first column of a narrow screen, which stays beside the columns that scroll. */
const NARROW_FIRST = 10

export class ColumnLayout {
  readonly #table: Table
  readonly #viewState: ViewState
  readonly #rem: number
  readonly #isNarrow = new MediaQuery('width < 48rem')

  /** `rem` in pixels. */
  constructor(table: Table, viewState: ViewState, rem: number) {
    this.#table = table
    this.#viewState = viewState
    this.#rem = rem
  }

  readonly attributes: readonly Attribute[] = $derived.by(() => this.#viewState.columns)
  /** The attribute whose cells link to the page of the row. */
  readonly linked: Attribute | undefined = $derived.by(
    () => labelAttribute(this.#viewState.entityType, this.attributes) ?? this.attributes[0],
  )
  readonly #widths = $derived.by(() => this.attributes.map((attribute) => this.widthOf(attribute)))
  readonly cells = $derived.by(() =>
    this.attributes.map((attribute, at) =>
      gridColumn(attribute, attribute === this.linked, ((this.#widths[at] ?? 0) - PADDING) * this.#rem),
    ),
  )

  /** The width of the select boxes. */
  readonly check: number = $derived.by(() => (this.#table.isReadOnly ? 0 : CHECK))
  /** The columns as CSS. */
  readonly template: string = $derived.by(() =>
    [...(this.check > 0 ? [this.check] : []), ...this.#widths]
      .map((width) => `${width}rem`)
      .concat('minmax(2rem, 1fr)')
      .join(' '),
  )
  /** The width of all columns. */
  readonly width: number = $derived.by(() => this.#widths.reduce((sum, width) => sum + width, this.check + LAST))

  widthOf(attribute: Attribute): number {
    const own = this.#viewState.widths.of(attribute)
    const width = valueTypeOf(attribute).width + (attribute === this.linked ? BESIDE_LINK : 0)
    const isKept = this.#isNarrow.current && attribute === this.attributes[0]
    return own ?? (isKept ? Math.min(width, NARROW_FIRST) : width)
  }
}
