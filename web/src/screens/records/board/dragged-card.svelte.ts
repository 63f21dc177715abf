import type { Entity } from '../../../api/records/entities'

/** The card that is being dragged. */
export const draggedCard: { entry: Entity | undefined } = $state({ entry: undefined })
