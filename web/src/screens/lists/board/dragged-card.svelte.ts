import type { Holder } from '../../../api/entities'

/** The card that is being dragged. */
export const carried: { entry: Holder | undefined } = $state({ entry: undefined })
