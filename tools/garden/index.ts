export { startGarden, type Garden, type GardenOptions } from './garden.ts'
