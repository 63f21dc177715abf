/** What a caller of writes stores beside each of them, in the statement of the write. Imports and jobs store what can be undone. */

import type { Transaction } from '#db/connect'
import type { DataModel, EntityType } from '#engine/data-model/model'
import type { Micros } from '#base/timing/clock'
import type { AttributeChange } from './entity-change'
import type { ParameterTexts, Placeholder } from './statement'

/** A step that a statement has beside its own. */
export interface FurtherStep {
  /** Steps with the same name have the same text for an entity type. */
  readonly name: string
  readonly text: (param: Placeholder, model: DataModel, entityType: EntityType) => string
  /** The values of the parameters that only this step has. */
  readonly texts: ParameterTexts
}

export const furtherSteps = (
  step: FurtherStep | undefined,
  param: Placeholder,
  model: DataModel,
  entityType: EntityType,
): string[] => (step === undefined ? [] : [step.text(param, model, entityType)])

export interface WriteLog {
  /** The step of a statement that creates one entity. */
  readonly ofCreation: FurtherStep
  /** The step of a statement that creates many entities. */
  readonly ofCreations: FurtherStep
  /** The step of a statement that makes these changes. */
  ofUpdate(changes: readonly AttributeChange[]): FurtherStep
  /** The step of a statement that makes the changes of each of several entities. */
  ofUpdates(changes: readonly (readonly AttributeChange[])[]): FurtherStep
  /** For a write of several steps, whose own row may stay as it is. */
  storeUpdate(
    tx: Transaction,
    model: DataModel,
    entityType: EntityType,
    update: { readonly id: string; readonly writtenAt: Micros },
  ): Promise<void>
}
