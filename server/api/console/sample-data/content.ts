/**
 * The sample data: a small sales team's companies, people and deals. Domains are below `example.com`, which RFC 2606 keeps free, so that no
 * message reaches a stranger.
 */

export const SAMPLE_COMPANIES = [
  ['Northwind Robotics', 'northwind.example.com', 'Robots that sort parcels in warehouses.'],
  ['Lumen Health', 'lumen.example.com', 'Software for the appointments of small clinics.'],
  ['Fjord Logistics', 'fjord.example.com', 'Freight by sea between Norway and the Netherlands.'],
  ['Paper Crane Studio', 'papercrane.example.com', 'Packaging design for food brands.'],
  ['Alder & Finch', 'alderfinch.example.com', 'Accountants for family businesses.'],
] as const

/** First name, last name, job title, and the number of the company. */
export const SAMPLE_PEOPLE = [
  ['Mara', 'Lindqvist', 'Head of Operations', 0],
  ['Tomás', 'Herrera', 'Purchasing', 0],
  ['Priya', 'Raman', 'Founder', 1],
  ['Jonas', 'Weber', 'Product Manager', 1],
  ['Ingrid', 'Solberg', 'Managing Director', 2],
  ['Daniel', 'Okafor', 'IT Lead', 2],
  ['Hana', 'Sato', 'Creative Director', 3],
  ['Claire', 'Dubois', 'Partner', 4],
] as const

/** Name, value, how far it is (0 the first stage, 1 the last), the number of the company, and those of people. */
export const SAMPLE_DEALS = [
  ['Northwind: pilot in two warehouses', 48_000, 0.34, 0, [0, 1]],
  ['Northwind: maintenance contract', 12_500, 0, 0, [1]],
  ['Lumen: yearly licence', 18_900, 0.67, 1, [2]],
  ['Fjord: tracking of containers', 36_000, 0.34, 2, [4, 5]],
  ['Paper Crane: starter plan', 3_600, 0, 3, [6]],
  ['Alder & Finch: migration', 9_400, 0.67, 4, [7]],
] as const

/** Title, content, and the number of the company. */
export const SAMPLE_NOTES = [
  [
    'First call with Northwind',
    'They run **two warehouses** and want to start with one line.\n\n- Decision in six weeks\n- Mara signs, Tomás negotiates\n- Needs a reference from logistics',
    0,
  ],
  ['What Lumen asks for', 'Single sign-on, and an export every month. Priya decides alone.', 1],
] as const

/** Content, days until it is due, and the number of the deal. */
export const SAMPLE_TASKS = [
  ['Send the offer for the pilot to Mara', 0, 0],
  ['Ask Ingrid for the number of containers a month', 1, 3],
  ['Prepare the demo for Lumen', 3, 2],
] as const

/** Title, days from now, hour of the day in UTC, and the number of the person. */
export const SAMPLE_MEETINGS = [
  ['Pilot review with Northwind', 0, 15, 0],
  ['Demo for Lumen Health', 3, 9, 2],
] as const
