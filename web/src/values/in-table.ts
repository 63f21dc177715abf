/** Whether values are shown in a table. The table takes the keys, so its links are not in the tab order. */

import { getContext, setContext } from 'svelte'

const KEY = Symbol('inside a table')

export const markAsTable = (): void => void setContext(KEY, true)

/** The `tabindex` of a link in a value. */
export const linkTabIndex = (): -1 | undefined => (getContext<boolean | undefined>(KEY) ? -1 : undefined)
