import MiniBatteries.Logic
