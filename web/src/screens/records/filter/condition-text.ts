/** Conditions in words: "Stage is any of Growing, Sold". */

import { optionId } from '../../../api/data-model/attributes'
import { actorName } from '../../../state/actors.svelte'
import { recordName } from '../../../state/record-names.svelte'
import { countryName, dayText, instantText } from '../../../values/formats'
import { optionKindOf, optionsOf } from '../../../values/options.svelte'
import { chipOf, type OptionChipProps } from '../../../values/parts/option'
import { parsePeriod } from '#vocabulary/relative-periods'
import { type Condition, isComplete, isGroup, isMine, isObject, MINE, type Part, RELATIVE } from './filter-tree'
import { periodText } from './period-text'
import { chosenOf, comparisonsOf, fieldOf } from './operators'
import { comparedAttribute, comparedEntityType, type FilteredTable, pathTitles } from './paths'
import { nounInSentence } from '../../../language'

/** Text, or an option or status. */
export type Word = string | OptionChipProps

export const textOf = (words: readonly Word[]): string =>
  words.map((word) => (typeof word === 'string' ? word : word.title)).join('')

/** The words of a condition or a group; undefined while it has no operand. */
export function partWords(table: FilteredTable, part: Part): readonly Word[] | undefined {
  if (!isGroup(part)) return isComplete(part) ? conditionWords(table, part) : undefined
  const parts = part.parts.flatMap((one) => {
    const words = partWords(table, one)
    return words === undefined ? [] : [isGroup(one) ? ['(', ...words, ')'] : words]
  })
  return parts.length === 0 ? undefined : joined(parts, part.join === '$and' ? ' and ' : ' or ')
}

function conditionWords(table: FilteredTable, condition: Condition): readonly Word[] {
  const attribute = comparedAttribute(table, condition)
  if (!attribute) return [[...pathTitles(table, condition), condition.attribute].join(' → ')]
  const field = fieldOf(condition, attribute)
  const comparison = field && chosenOf(comparisonsOf(field), condition)
  const property = field?.name == null ? [] : [field.label]
  const subject = [...pathTitles(table, condition), attribute.title, ...property].join(' → ')
  if (!comparison?.hasOperand) return [`${subject} ${comparison?.label ?? ''}`.trim()]
  const period = comparison.operator === RELATIVE ? parsePeriod(String(condition.operand)) : undefined
  if (period) return [`${subject} ${comparison.isNegated ? 'is not' : 'is'} ${periodText(period)}`]
  const operands: unknown[] = Array.isArray(condition.operand) ? condition.operand : [condition.operand]
  const words = operands.map((operand) => [operandWord(table, condition, operand)])
  return [`${subject} ${comparison.label} `, ...joined(words, ', ')]
}

const joined = (parts: readonly (readonly Word[])[], separator: string): readonly Word[] =>
  parts.flatMap((words, index) => (index === 0 ? words : [separator, ...words]))

function operandWord(table: FilteredTable, condition: Condition, operand: unknown): Word {
  const attribute = comparedAttribute(table, condition)
  const kind = attribute && fieldOf(condition, attribute)?.operand
  if (isObject(operand) && typeof operand.target_record_id === 'string') {
    return recordName(String(operand.target_object), operand.target_record_id) ?? '…'
  }
  if (isMine(operand)) return nounInSentence(MINE[operand.$relative])
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
  const option = options.find((one) => optionId(one) === text || one.title === text)
  return option ? chipOf(option, optionKindOf(attribute) === 'statuses') : text
}
