export { FakeCharts, type FakeChart } from './charts.ts'
export { fakeHelm, type FakeHelmOptions, type HelmFault, type HelmVerb } from './helm.ts'
