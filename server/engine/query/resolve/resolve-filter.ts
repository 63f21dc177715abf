/**
 * Resolves a parsed filter to conditions on the attributes of a workspace.
 * See docs/reference/query.md (Filters, Paths, Errors of queries).
 */

import type { DataModel, EntityType } from '#engine/data-model/model'
import { unknownFilterAttribute } from '#base/errors/queries'
import type { Condition } from './condition'
import type { Filter, FilterCondition, Target } from '#engine/query/parse/filter'
import { resolveComparisons } from './resolve-comparison'
import { getSearchable, resolvePath, type ResolvedPath } from './resolve-path'

/** Throws the errors of docs/reference/query.md (Errors of queries), with their paths inside the filter. */
export function resolveFilter(model: DataModel, entityType: EntityType, filter: Filter): Condition {
  switch (filter.kind) {
    case 'all':
    case 'any':
      return { kind: filter.kind, of: filter.of.map((each) => resolveFilter(model, entityType, each)) }
    case 'not':
      return { kind: 'not', of: resolveFilter(model, entityType, filter.of) }
    case 'condition':
      return resolveCondition(model, entityType, filter)
  }
}

function resolveCondition(
  model: DataModel,
  entityType: EntityType,
  { target, constraint }: FilterCondition,
): Condition {
  const { steps, attribute } = resolveTarget(model, entityType, target)
  const comparisons = resolveComparisons(model, attribute, constraint)
  return steps.reduceRight<Condition>((condition, step) => ({ kind: 'reference', step, condition }), {
    kind: 'value',
    attribute,
    comparisons,
  })
}

function resolveTarget(model: DataModel, entityType: EntityType, target: Target): ResolvedPath {
  const { path } = target
  if ('segments' in target) return resolvePath(model, entityType, target.segments, path, unknownFilterAttribute)
  const { attribute } = target
  const unknown = (didYouMean?: string) => unknownFilterAttribute(attribute, [...path], didYouMean)
  return { steps: [], attribute: getSearchable(model, entityType, attribute, unknown) }
}
