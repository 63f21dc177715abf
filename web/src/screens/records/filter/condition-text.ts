/** Conditions in words: "Stage is any of Growing, Sold". */

import { optionId } from '../../../api/data-model/attributes'
import { actorName } from '../../../state/actors.svelte'
import { recordName } from '../../../state/record-names.svelte'
import { countryName, dayText, instantText } from '../../../values/formats'
import { optionsOf } from '../../../values/options.svelte'
import { comparedAttribute, comparedEntityType, type FilteredTable, pathTitles } from './filtered-attributes'
import { type Condition, isComplete, isGroup, isObject, type Part } from './filter-tree'
import { chosenOf, comparisonsOf, fieldOf } from './operators'

/** The words of a condition or a group; undefined while it has no operand. */
export function partText(table: FilteredTable, part: Part): string | undefined {
  if (!isGroup(part)) return isComplete(part) ? conditionText(table, part) : undefined
  const texts = part.parts.flatMap((one) => partText(table, one) ?? [])
  return texts.length === 0 ? undefined : texts.join(part.join === '$and' ? ' and ' : ' or ')
}

function conditionText(table: FilteredTable, condition: Condition): string {
  const attribute = comparedAttribute(table, condition)
  if (!attribute) return [...pathTitles(table, condition), condition.attribute].join(' → ')
  const field = fieldOf(condition, attribute)
  const comparison = field && chosenOf(comparisonsOf(field), condition)
  const property = field?.name == null ? [] : [field.label]
  const subject = [...pathTitles(table, condition), attribute.title, ...property].join(' → ')
  if (!comparison?.hasOperand) return `${subject} ${comparison?.label ?? ''}`.trim()
  const operands: unknown[] = Array.isArray(condition.operand) ? condition.operand : [condition.operand]
  const texts = operands.map((operand) => operandText(table, condition, operand))
  return `${subject} ${comparison.label} ${texts.join(', ')}`
}

function operandText(table: FilteredTable, condition: Condition, operand: unknown): string {
  const attribute = comparedAttribute(table, condition)
  const kind = attribute && fieldOf(condition, attribute)?.operand
  if (isObject(operand) && typeof operand.target_record_id === 'string') {
    return recordName(String(operand.target_object), operand.target_record_id) ?? '…'
  }
  if (isObject(operand)) {
    return actorName({ type: 'workspace-member', id: String(operand.referenced_actor_id) })
  }
  if (kind === 'yes-no') return operand === true ? 'checked' : 'not checked'
  const text = String(operand)
  if (kind === 'date') return dayText(text)
  if (kind === 'instant') return instantText(text)
  if (kind === 'country') return countryName(text)
  if (kind !== 'option' || !attribute) return text
  const options = optionsOf(comparedEntityType(table, condition), attribute)?.data ?? []
  return options.find((one) => optionId(one) === text)?.title ?? text
}
