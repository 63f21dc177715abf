import { asText, ORDERED, type ValueType } from '../define'
import { instantText } from '../formats'

const NAMES: Readonly<Record<string, string>> = {
  'calendar-event': 'Calendar event',
  call: 'Call',
  'chat-thread': 'Chat',
  email: 'Email',
  'in-person-meeting': 'In-person meeting',
  meeting: 'Meeting',
}

/** The last or next contact with a person or company. Only the service writes it. */
export const interaction: ValueType = {
  text: ({ interaction_type, interacted_at }) =>
    `${NAMES[asText(interaction_type)] ?? asText(interaction_type)}, ${instantText(asText(interacted_at))}`,
  input: ({ interaction_type, interacted_at, owner_actor }) => ({ interaction_type, interacted_at, owner_actor }),
  optimistic: (input) => input as Record<string, unknown>, // no input has this type
  refusal: "This value can't be edited.",
  fields: [{ name: 'interacted_at', label: 'Time', operators: ORDERED, operand: 'instant' }],
  width: 14,
}
