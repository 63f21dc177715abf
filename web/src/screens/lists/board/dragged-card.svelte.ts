import type { Entity } from '../../../api/entities'

/** The card that is being dragged. */
export const draggedCard: { entry: Entity | undefined } = $state({ entry: undefined })
