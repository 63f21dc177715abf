/** The options of a company's categories in a new workspace. See docs/reference/objects-and-attributes.md (Option titles). */

export const COMPANY_CATEGORIES: readonly string[] = `
3D Printing
Accounting
Advertising
Aerospace & Defense
Agriculture
Air Transport
Animal Care
Apparel & Fashion
Architecture
Artificial Intelligence
Arts & Crafts
Asset Management
Audio
Augmented & Virtual Reality
Automation
Automotive
B2B
B2C
Banking
Battery Technology
Beauty & Cosmetics
Biotechnology
Blockchain
Business Intelligence
Chemicals
Civil Engineering
Cloud Services
Communications
Construction
Consulting
Consumer Electronics
Consumer Goods
Corporate Services
Customer Support
Cybersecurity
Data & Analytics
Dental Care
Design
Developer Tools
Drones
E-commerce
E-learning
Education
Electronics
Energy
Entertainment
Environmental Services
Event Management
Facilities Management
Financial Services
Fitness & Wellness
Food & Beverage
Forestry
Furniture
Gaming
Government
Hardware
Health Care
Home Services
Hospitality
Human Resources
Industrial Equipment
Information Technology
Infrastructure
Insurance
Internet of Things
Investment
Jewellery
Legal Services
Leisure
Logistics
Luxury Goods
Machinery
Manufacturing
Maritime
Marketing
Marketplaces
Media
Medical Devices
Metals & Mining
Mobile Apps
Mobility
Music
Nanotechnology
Non-profit
Office Supplies
Oil & Gas
Packaging
Payments
Pharmaceuticals
Photography
Publishing
Quantum Computing
Real Estate
Recruiting
Renewable Energy
Research
Restaurants
Retail
Robotics
Sales
Semiconductors
Social Networks
Software
Space
Sports
Staffing
Subscription Services
Sustainability
Telecommunications
Textiles
Tourism
Training
Transportation
Travel
Utilities
Venture Capital
Video
Waste Management
Water
Wholesale
Wine & Spirits
`
  .trim()
  .split('\n')
