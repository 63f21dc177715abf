import type { Holder } from '../../../api/holders'

/** The card that is being dragged. */
export const carried: { entry: Holder | undefined } = $state({ entry: undefined })
