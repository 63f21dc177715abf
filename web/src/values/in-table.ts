/** Where values are shown: in a table the keys belong to the table, and its links are not stops of their own. */

import { getContext, setContext } from 'svelte'

const KEY = Symbol('inside a table')

export const markAsTable = (): void => void setContext(KEY, true)

/** For links within values. */
export const linkTabIndex = (): -1 | undefined => (getContext<boolean | undefined>(KEY) ? -1 : undefined)
