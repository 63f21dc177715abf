/** The entries of the palette. */

import type { IconComponent } from '../destinations'

export interface PaletteItem {
  readonly id: string
  readonly label: string
  readonly detail?: string
  readonly icon: IconComponent
  /** The slug of the object of a record, whose picture replaces the icon. Its id is that of the entry. */
  readonly object?: string
  /** Further words by which people look for it. They are not shown. */
  readonly words?: string
  readonly act: () => unknown
  /** An entry that only a search shows, because many are alike. */
  readonly isSearchedOnly?: true
}

export interface PaletteGroup {
  readonly label: string
  readonly items: readonly PaletteItem[]
}
